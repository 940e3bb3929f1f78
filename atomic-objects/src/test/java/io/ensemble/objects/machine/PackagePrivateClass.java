package io.ensemble.objects.machine;

/** Visible in its package only. */
class PackagePrivateClass {

  private int count;

  public int ofThePublic() {
    return ++count;
  }

  protected int ofSubclasses() {
    return ++count;
  }
}
