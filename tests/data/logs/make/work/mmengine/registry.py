"""A stand-in: how MMEngine's registry refuses a name."""


class Registry:
    def __init__(self, name):
        self.name = name
        self.classes = {}

    def build(self, config):
        return build_from_cfg(config, self)


def build_from_cfg(config, registry):
    kind = config["type"]
    if kind not in registry.classes:
        raise KeyError(f"{kind} is not in the {registry.name} registry. Please check whether the value of `{kind}` is "
                       "correct or it was registered as expected.")
    return registry.classes[kind]()
