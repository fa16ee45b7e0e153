"""Print the floors of all dependencies as constraints for an installer: the oldest versions that we support."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
others = [requirement for requirement in extras["dev"] if not requirement.startswith("shoal[")]  # the extras below
for requirement in project["dependencies"] + extras["publish"] + extras["report"] + others:
    name, floor = re.match(r"([\w-]+)>=([\w.]+)", requirement).groups()
    print(f"{name}=={floor}")
