"""Validates JSON against the schemas of docs/, which refer to each other by file name and never to the network."""

import json

import jsonschema


class Schemas:
    """The schemas of one folder, each under its file name and its $id."""

    def __init__(self, folder):
        self._base = folder.resolve().as_uri() + "/"
        self._by_name = {}
        store = {}
        for path in sorted(folder.glob("*.schema.json")):
            document = json.loads(path.read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator.check_schema(document)
            self._by_name[path.name] = document
            store[self._base + path.name] = document
            if "$id" in document:
                store[document["$id"]] = document
        self._store = store

    def names(self):
        return sorted(self._by_name)

    def problems(self, document, name):
        """What is wrong with a parsed document, one line for each fault; empty when it is valid."""
        file = f"{name}.schema.json"
        assert file in self._by_name, f"docs/{file} does not exist; there are: {', '.join(self.names()) or 'none'}"
        schema = self._by_name[file]
        resolver = jsonschema.RefResolver(
            base_uri=schema.get("$id", self._base + file), referrer=schema, store=self._store,
            handlers={"http": _no_network, "https": _no_network, "file": _no_network})
        validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
        errors = sorted(validator.iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))
        return [f"/{'/'.join(str(part) for part in error.absolute_path)}: {error.message}" for error in errors]

    def validate(self, document, name):
        """Fails when the document is not what docs/<name>.schema.json says."""
        problems = self.problems(document, name)
        assert not problems, f"not valid by docs/{name}.schema.json:\n" + "\n".join(problems[:20])


def _no_network(address):
    raise AssertionError(f"a schema refers to '{address}', which is no file of docs/")
