"""Memory at hand: what the machine has, and what every limit leaves of it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.memory import available_memory

GB = 1 << 30
MACHINE = f"MemTotal: {32 * GB // 1024} kB\nMemAvailable: {16 * GB // 1024} kB\n"
MOUNT_2 = "30 23 0:26 {root} /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
MOUNT_1 = (
    "31 23 0:27 / /sys/fs/cgroup/cpu rw shared:5 - cgroup cgroup rw,cpu\n"
    "32 23 0:28 {root} /sys/fs/cgroup/memory rw shared:6 - cgroup cgroup rw,memory\n"
)
NO_LIMIT_1 = 9223372036854771712


def system(folder: Path, groups: str, mounts: str, files: dict[str, object]) -> Path:
    """A tree of files as Linux shows it."""
    written = {
        "proc/meminfo": MACHINE,
        "proc/self/cgroup": groups,
        "proc/self/mountinfo": mounts,
        **{f"sys/fs/cgroup/{name}": f"{content}\n" for name, content in files.items()},
    }
    for name, content in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_without_limits_it_is_what_the_machine_has_left(tmp_path: Path) -> None:
    assert available_memory(system(tmp_path, "", "", {})) == 16 * GB


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"job/memory.max": 2 * GB, "job/memory.current": GB // 2}, 3 * GB // 2),
        ({"job/memory.max": "max", "job/memory.current": GB}, 16 * GB),
        ({"job/memory.max": "max", "job/memory.high": 3 * GB, "job/memory.current": GB}, 2 * GB),
        # Cached files are given back.
        (
            {
                "job/memory.max": 2 * GB,
                "job/memory.current": 2 * GB,
                "job/memory.stat": f"anon 1\ninactive_file {GB}\nactive_file 7",
            },
            GB,
        ),
        ({"job/memory.max": GB, "job/memory.current": 2 * GB}, 0),  # a limit that was lowered
        ({"job/memory.max": 64 * GB, "job/memory.current": 0}, 16 * GB),  # more than there is
        ({"job/memory.max": "nonsense", "job/memory.current": "x"}, 16 * GB),
    ],
)
def test_a_group_of_version_2(tmp_path: Path, files: dict[str, object], left: int) -> None:
    assert available_memory(system(tmp_path, "0::/job\n", MOUNT_2.format(root="/"), files)) == left


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"memory.limit_in_bytes": 2 * GB, "memory.usage_in_bytes": GB // 2}, 3 * GB // 2),
        ({"memory.limit_in_bytes": NO_LIMIT_1, "memory.usage_in_bytes": GB}, 16 * GB),
        (
            {
                "memory.limit_in_bytes": 2 * GB,
                "memory.usage_in_bytes": 2 * GB,
                "memory.stat": f"inactive_file 1\ntotal_inactive_file {GB}",
            },
            GB,
        ),
    ],
)
def test_a_group_of_version_1(tmp_path: Path, files: dict[str, object], left: int) -> None:
    named = {f"memory/batch/7/{name}": content for name, content in files.items()}
    groups = "4:cpu:/\n3:memory,hugetlb:/batch/7\n0::/\n"
    assert available_memory(system(tmp_path, groups, MOUNT_1.format(root="/"), named)) == left


@pytest.mark.parametrize("level", ["", "outer/", "outer/middle/", "outer/middle/inner/"])
@pytest.mark.parametrize("version", [1, 2])
def test_the_tightest_of_nested_groups_counts(tmp_path: Path, level: str, version: int) -> None:
    files: dict[str, object] = {}
    for folder in ("", "outer/", "outer/middle/", "outer/middle/inner/"):
        limit = 3 * GB if folder == level else 8 * GB
        if version == 2:
            files |= {f"{folder}memory.max": limit, f"{folder}memory.current": GB}
        else:
            files |= {f"memory/{folder}memory.limit_in_bytes": limit, f"memory/{folder}memory.usage_in_bytes": GB}
    groups = "0::/outer/middle/inner\n" if version == 2 else "5:memory:/outer/middle/inner\n"
    mounts = (MOUNT_2 if version == 2 else MOUNT_1).format(root="/")
    assert available_memory(system(tmp_path, groups, mounts, files)) == 2 * GB


@pytest.mark.parametrize("group", ["/docker/7", "/docker/7/part", "/", "/../../other"])
def test_a_container_that_sees_a_part_of_the_hierarchy(tmp_path: Path, group: str) -> None:
    """The mount shows the container's group, whatever it is called from outside."""
    files: dict[str, object] = {"memory.max": 2 * GB, "memory.current": GB}
    root = "/docker/7" if group != "/" else "/"
    assert available_memory(system(tmp_path, f"0::{group}\n", MOUNT_2.format(root=root), files)) == GB


def test_limits_of_both_versions_count_at_once(tmp_path: Path) -> None:
    mounts = MOUNT_1.format(root="/") + MOUNT_2.format(root="/").replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ")
    files: dict[str, object] = {
        "memory/a/memory.limit_in_bytes": 5 * GB,
        "memory/a/memory.usage_in_bytes": 0,
        "unified/b/memory.max": 4 * GB,
        "unified/b/memory.current": 0,
    }
    assert available_memory(system(tmp_path, "4:memory:/a\n0::/b\n", mounts, files)) == 4 * GB


def test_a_mount_whose_name_holds_a_blank(tmp_path: Path) -> None:
    mounts = MOUNT_2.format(root="/").replace("/sys/fs/cgroup ", "/sys/fs/cgroup/my\\040groups ")
    files: dict[str, object] = {"my groups/memory.max": 2 * GB, "my groups/memory.current": GB}
    assert available_memory(system(tmp_path, "0::/\n", mounts, files)) == GB


SAY = "from shoal.memory import available_memory; print(available_memory())"


def test_a_limit_of_address_space_counts() -> None:
    limit = 3 * GB

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    said = int(subprocess.check_output([sys.executable, "-c", SAY], preexec_fn=limited))
    assert limit - GB < said < limit


def test_a_real_group_counts() -> None:
    """A group of our own, with a limit below what any machine has, where the system permits to make one."""
    for mount, limit in (
        (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
        (Path("/sys/fs/cgroup"), "memory.max"),
    ):
        folder = mount / f"shoal-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / limit).write_text(str(GB // 4))
            join = f"import os; open({str(folder / 'cgroup.procs')!r}, 'w').write(str(os.getpid())); "
            said = int(subprocess.check_output([sys.executable, "-c", join + SAY]))
            assert GB // 8 < said <= GB // 4
            return
        except OSError:
            continue
        finally:
            folder.rmdir()
    pytest.skip("no control group of our own: making one is not allowed here")
