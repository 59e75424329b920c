"""django-q2's own cluster, for the test that shows what ours repairs."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[3])]
sys.path.append(str(Path(__file__).resolve().parents[3] / "platform"))

if __name__ == "__main__":
    import os

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    from django_q.cluster import Cluster

    cluster = Cluster()
    cluster.start()
    cluster.sentinel.join()
