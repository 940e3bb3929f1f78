package io.ensemble.deploy;

import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest tells. */
final class VersionProvider implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = VersionProvider.class.getPackage().getImplementationVersion();
    return new String[] {
      "ensemble " + (version == null ? "(unpackaged)" : version),
      "Java " + System.getProperty("java.version") + ", " + System.getProperty("java.vendor")
    };
  }
}
