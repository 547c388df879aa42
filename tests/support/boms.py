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


def spdx_faults(document):
    faults = []
    ids = [package["SPDXID"] for package in document["packages"]] + [document["SPDXID"]]
    faults += [f"SPDXID '{name}' is there twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    contained = set()
    for relation in document["relationships"]:
        for key in ("spdxElementId", "relatedSpdxElement"):
            if relation[key] not in ids:
                faults.append(f"no element '{relation[key]}'")
        if relation["relationshipType"] in ("CONTAINS", "DESCRIBES"):
            contained.add(relation["relatedSpdxElement"])
    faults += [f"nothing holds '{name}'" for name in ids if name not in contained and name != document["SPDXID"]]
    licenses = {info["licenseId"] for info in document["hasExtractedLicensingInfos"]}
    faults += [f"no text of '{package['licenseDeclared']}'" for package in document["packages"]
               if package["licenseDeclared"].startswith("LicenseRef-") and package["licenseDeclared"] not in licenses]
    return faults
