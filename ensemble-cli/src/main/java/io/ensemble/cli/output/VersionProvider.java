package io.ensemble.cli.output;

import picocli.CommandLine.IVersionProvider;

/** The version in the manifest of the jar. */
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
