package io.ensemble.objects.machine;

/** Public, with methods of a class that is visible in its package only. */
public class PublicSubclass extends PackagePrivateClass {

  /** Reaches a protected one. */
  public int throughProtected() {
    return ofSubclasses();
  }
}
