#!/usr/bin/env bash
# Breaks of the library's public API since the baseline need a version that says so (for 0.x another
# minor number, then another major one). Two judges:
#   - the listings of public-api.sh: a line that is gone or reads otherwise, or a further variant of an
#     enum that may be matched whole. Always, where git has the listings of the baseline;
#   - cargo-semver-checks, which knows more (fields, methods of traits, implementations). Where it is
#     installed: it takes a quarter of an hour to build.
# What cannot be judged is said loudly, with the exit code 77.
#
# semver-baseline names the version and the listings of the baseline by git's numbers of their content.
# WIREWAIT_BLESS=1 makes the baseline what is listed now: with a release, or for a break of what was
# never released, in the same commit. Usage: semver.sh
set -euo pipefail
cd "$(dirname "$0")/.."
baseline=semver-baseline
listings=(crates/wirewait crates/wire crates/model crates/analysis crates/stats crates/judge dissectors)
listings=("${listings[@]/%//public-api.txt}")
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)

unchecked() {
    cat >&2 <<END2
******************************************************************************
NOT CHECKED: $1.
******************************************************************************
END2
    exit 77
}

if [ "${WIREWAIT_BLESS:-}" = 1 ]; then
    {
        echo "$version"
        for listing in "${listings[@]}"; do
            echo "$(git hash-object "$listing") $listing"
        done
    } >"$baseline"
    exit 0
fi

git rev-parse --git-dir >/dev/null 2>&1 ||
    unchecked "whether the public API breaks with the baseline: this is no checkout of git"
base=$(head -n 1 "$baseline")
breaks=$(mktemp "${TMPDIR:-/tmp}/semver.XXXXXX")
trap 'rm -f "$breaks"' EXIT
while read -r content listing; do
    [ "$(git hash-object "$listing")" != "$content" ] || continue
    git cat-file -e "$content" 2>/dev/null ||
        unchecked "whether the public API breaks with the baseline: the history is cut off before it"
    python3 - "$listing" <(git cat-file blob "$content") <<'END2' >>"$breaks"
import re, sys
listing, baseline = sys.argv[1:]
now = open(listing).read().splitlines()
then = open(baseline).read().splitlines()
for line in sorted(set(then) - set(now)):
    print(f"{listing}: gone: {line}")
# The front of a variant's line, of each enum without #[non_exhaustive].
enums = [re.match(r"pub enum ([\w:]+)", line) for line in then]
enums = {found[1] for found in enums if found}
for line in sorted(set(now) - set(then)):
    variant = re.match(r"pub ([\w:]+)::\w+(\(.*\))?$", line)
    if variant and variant[1] in enums:
        print(f"{listing}: further variant: {line}")
END2
done < <(tail -n +2 "$baseline")

# Whether a version may break what the other one promised.
front() { cut -d . -f "$([[ $1 == 0.* ]] && echo 1,2 || echo 1)" <<<"$1"; }
if [ -s "$breaks" ] && [ "$(front "$version")" = "$(front "$base")" ]; then
    cat "$breaks" >&2
    cat >&2 <<END2
semver.sh: these break with $base, and the version is $version. Give it another number; or, if the
baseline was never released, say what breaks in CHANGELOG.md, write the baseline anew with
WIREWAIT_BLESS=1 scripts/semver.sh, and commit both with the change.
END2
    exit 1
fi
echo "listings: $(wc -l <"$breaks") breaks with $base, the version is $version"

cargo semver-checks --version >/dev/null 2>&1 ||
    unchecked "by cargo-semver-checks, whether the public API breaks with the baseline: it is not installed"
# The latest commit with the listings of the baseline.
revision=
for commit in HEAD $(git log --format=%H -- "${listings[@]}"); do
    wanted=$(tail -n +2 "$baseline" | cut -d ' ' -f 1)
    [ "$(for listing in "${listings[@]}"; do git rev-parse "$commit:$listing" 2>/dev/null; done)" != "$wanted" ] || {
        revision=$commit
        break
    }
done
[ -n "$revision" ] ||
    unchecked "by cargo-semver-checks, whether the public API breaks with the baseline: no commit here has its listings"
packages=()
for listing in "${listings[@]}"; do
    packages+=(--package "$(sed -n 's/^name = "\(.*\)"/\1/p' "$(dirname "$listing")/Cargo.toml" | head -n 1)")
done
code=0
cargo semver-checks --baseline-rev "$revision" "${packages[@]}" || code=$?
case $code in
0) ;;
100) exit 1 ;;
*) unchecked "by cargo-semver-checks, whether the public API breaks with the baseline: it failed" ;;
esac
