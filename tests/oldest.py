"""Print the floors of all dependencies as constraints for an installer: the oldest versions that we support."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for requirement in project["dependencies"] + project["optional-dependencies"]["dev"]:
    name, floor = re.match(r"([\w-]+)>=([\w.]+)", requirement).groups()
    print(f"{name}=={floor}")
