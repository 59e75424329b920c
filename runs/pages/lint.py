"""What lint says of a source, and whether an input is JSON, for an editor that asks while somebody types."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_POST

from runs.access import Verb, require
from runs.errors import BadSource, Refused
from runs.lint import lint
from runs.pages.forms import read_json, unix_lines
from runs.starting import check_size


@login_required
@require_POST
def run_lint(request: HttpRequest) -> JsonResponse:
    """`source` and `input` in, `{"findings": [...], "source": "", "input": ""}` out; the texts say what is wrong
    besides the findings. A field that was not sent is not looked at. For who may start runs: a large source costs a
    second."""
    require(request.user, Verb.START)
    answer: dict[str, object] = {"findings": [], "source": "", "input": ""}
    if "source" in request.POST:
        source = unix_lines(request.POST["source"])
        try:
            check_size(source)
            answer["findings"] = [finding.as_dict() for finding in lint(source)]
        except BadSource as refused:
            answer["source"] = str(refused)
    if request.POST.get("input", "").strip():
        try:
            read_json(request.POST["input"])
        except Refused as refused:
            answer["input"] = str(refused)
    return JsonResponse(answer)
