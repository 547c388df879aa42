# mmengine.config of the stand-in: a Python file whose names are items and attributes.


class Config(dict):
    __getattr__ = dict.__getitem__

    @classmethod
    def fromfile(cls, path):
        names = {}
        with open(path, encoding="utf-8") as file:
            exec(file.read(), names)
        return cls._with_attributes({name: value for name, value in names.items() if not name.startswith("__")})

    @classmethod
    def _with_attributes(cls, value):
        if isinstance(value, dict):
            return cls({key: cls._with_attributes(item) for key, item in value.items()})
        return value
