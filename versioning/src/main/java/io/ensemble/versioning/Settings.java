package io.ensemble.versioning;

import io.ensemble.objects.ReadOnly;

/** What all processes that use a cache must agree on, as a text. */
class Settings {

  private String text;

  Settings() {
    this("");
  }

  Settings(String text) {
    this.text = text;
  }

  @ReadOnly
  public String text() {
    return text;
  }

  static String of(Index index, int kappa, String space, boolean ordered, boolean deltas) {
    return "index "
        + index
        + (index == Index.SHARDED || index == Index.AUTO ? " (kappa " + kappa + ")" : "")
        + ", versions "
        + space
        + (ordered ? ", in order" : "")
        + (deltas ? ", deltas" : "");
  }
}
