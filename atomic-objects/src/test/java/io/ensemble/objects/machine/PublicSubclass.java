package io.ensemble.objects.machine;

/** Public, with methods of a package-private superclass. */
public class PublicSubclass extends PackagePrivateClass {

  /** Calls a protected method. */
  public int throughProtected() {
    return ofSubclasses();
  }
}
