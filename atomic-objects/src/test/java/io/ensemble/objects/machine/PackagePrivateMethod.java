package io.ensemble.objects.machine;

/** Has a method that no subclass in another package can override. */
public class PackagePrivateMethod {

  void near() {}
}
