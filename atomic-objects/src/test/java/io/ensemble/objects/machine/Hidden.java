package io.ensemble.objects.machine;

/** Visible in its package only. */
class Hidden {

  private int count;

  public int ofThePublic() {
    return ++count;
  }

  protected int ofSubclasses() {
    return ++count;
  }
}
