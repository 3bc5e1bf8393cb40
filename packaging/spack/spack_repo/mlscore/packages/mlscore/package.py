# SPDX-License-Identifier: Apache-2.0
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Mlscore(MakefilePackage):
    """Verdicts and scores from logs of MLPerf Training and MLPerf HPC: of runs, of the log directories of Slurm jobs
    and of whole submissions, and why jobs failed."""

    # What `make dist` writes: put it there, or into a mirror of the site.  Its sum is known to who made it:
    # spack checksum mlscore 0.9.0, or spack install --no-checksum.
    url = "file:///usr/local/src/mlscore-0.9.0.tar.gz"

    license("Apache-2.0")

    version("0.9.0")

    variant("zlib", default=True, description="Read logs that are packed by gzip")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cjson")
    depends_on("libcsv")
    depends_on("pcre2")
    depends_on("zlib-api", when="+zlib")

    @property
    def settings(self):
        return [f"PREFIX={self.prefix}"] + (["ZLIB="] if self.spec.satisfies("~zlib") else [])

    @property
    def build_targets(self):
        return ["all"] + self.settings

    @property
    def install_targets(self):
        return ["install"] + self.settings
