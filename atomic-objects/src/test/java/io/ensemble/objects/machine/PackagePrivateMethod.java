package io.ensemble.objects.machine;

/** With a method that no subclass in another package overrides. */
public class PackagePrivateMethod {

  void near() {}
}
