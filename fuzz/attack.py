"""Cases one after the other: run, judge, make small what fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fuzz.generate import plan as planned
from fuzz.minimise import SECONDS, Minimiser
from fuzz.oracle import Failure, judge, names_no_file, place_of
from fuzz.twins import TWINS, printed, result_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzz.case import Case
    from fuzz.execute import Outcome, Sandbox


@dataclass(frozen=True)
class Finding:
    """A case that fails."""

    number: int
    failure: Failure
    case: Case
    mutations: tuple[str, ...]
    twin: str | None

    @property
    def other(self) -> Case | None:
        """The case in its other form, where there is one."""
        both = None if self.twin is None else _forms(self.case, self.twin)
        return None if both is None else both[1]


def _forms(case: Case, twin: str) -> tuple[Case, Case] | None:
    """Return two cases that have to give the same result."""
    whole = printed(case)
    return None if whole is None else TWINS[twin](whole)


def failure_of(
    case: Case, twin: str | None, valid: Mapping[str, bytes], sandbox: Sandbox
) -> tuple[Failure | None, Outcome]:
    """Run a case and return what is wrong with it.

    `twin` names another way to give the same data; `valid` are the files as they were before they were damaged.
    """
    outcome = sandbox.run(case)
    failure = judge(case, outcome)
    if failure is None and (failure := names_no_file(case, outcome)) and not _is_about_files(case, valid, sandbox):
        failure = None
    if failure is None and twin is not None and outcome.code == 0:
        failure = _differs(case, twin, sandbox)
    return failure, outcome


def _is_about_files(case: Case, valid: Mapping[str, bytes], sandbox: Sandbox) -> bool:
    """Tell whether the same command succeeds with files that are not damaged."""
    whole = {name: valid[name] for name in case.files if name in valid}
    return whole.keys() == case.files.keys() and sandbox.run(replace(case, files=whole)).code == 0


def _differs(case: Case, twin: str, sandbox: Sandbox) -> Failure | None:
    """Return a failure where the same data, given in another way, gives another result."""
    both = _forms(case, twin)
    if both is None:
        return None
    whole, other = both
    outcomes = [sandbox.run(each) for each in (whole, other)]
    if outcomes[0].code != 0:
        return judge(whole, outcomes[0])  # an option of the output was wrong, and is left out here
    if outcomes[1].code is None:
        return judge(other, outcomes[1])
    if outcomes[1].code != 0:
        detail = f"{other.line}\n{outcomes[1].err}"
        return Failure("refused in another form", f"{twin}: {place_of(outcomes[1])}", detail)
    results = [result_of(outcome.out) for outcome in outcomes]
    if results[0] == results[1]:
        return None
    shown = "\n".join(
        f"{each.line}\n{str(result)[:1500]}" for each, result in zip((whole, other), results, strict=True)
    )
    return Failure("another result in another form", f"{case.command}, {twin}", shown)


def examine(number: int, sandbox: Sandbox) -> tuple[Finding | None, Outcome]:
    """Run the case of a number."""
    plan = planned(number)
    case = plan.case
    failure, outcome = failure_of(case, plan.twin, plan.valid.files, sandbox)
    if failure is None:
        return None, outcome
    return Finding(number, failure, case, tuple(m.name for m in plan.mutations), plan.twin), outcome


def minimised(finding: Finding, sandbox: Sandbox, seconds: float = SECONDS) -> Finding:
    """Return the finding with as small a case as fails in the same way."""
    plan = planned(finding.number)

    def fails(case: Case) -> bool:
        failure, _ = failure_of(case, finding.twin, plan.valid.files, sandbox)
        return failure is not None and failure.key == finding.failure.key

    if finding.twin is not None and failure_of(finding.case, None, plan.valid.files, sandbox)[0] is not None:
        finding = replace(finding, twin=None)
    small = Minimiser(fails, seconds)
    mutations = small.mutations(plan)
    case = small.smaller(plan.of(mutations))
    failure, _ = failure_of(case, finding.twin, plan.valid.files, sandbox)
    if failure is None or failure.key != finding.failure.key:
        return finding  # it fails by chance
    return replace(finding, failure=failure, case=case, mutations=tuple(m.name for m in mutations))
