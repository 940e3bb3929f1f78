package io.ensemble.cli.output;

import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest tells. */
public final class VersionProvider implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = VersionProvider.class.getPackage().getImplementationVersion();
    return new String[] {
      "ensemble " + (version == null ? "(unpackaged)" : version),
      "Java " + System.getProperty("java.version") + ", " + System.getProperty("java.vendor")
    };
  }
}
