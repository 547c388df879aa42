"""Faults of bills of materials that no JSON schema can state: references that lead nowhere, names given twice."""


def _components(document):
    """All components of a CycloneDX document, at any depth."""
    found = []
    waiting = list(document["components"])
    while waiting:
        component = waiting.pop()
        found.append(component)
        waiting += component.get("components", [])
    return found


def cyclonedx_faults(document):
    faults = []
    refs = [component["bom-ref"] for component in _components(document)] + [document["metadata"]["component"]["bom-ref"]]
    faults += [f"bom-ref '{ref}' is there twice" for ref in sorted(set(refs)) if refs.count(ref) > 1]
    known = set(refs)
    seen = set()
    for entry in document["dependencies"]:
        if entry["ref"] in seen:
            faults.append(f"dependencies of '{entry['ref']}' are there twice")
        seen.add(entry["ref"])
        faults += [f"no component '{ref}'" for ref in [entry["ref"], *entry["dependsOn"]] if ref not in known]
    return faults
