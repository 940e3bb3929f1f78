package io.ensemble.benchmarks.etcd;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The program of etcd that tests use: the one in an environment variable, or Debian's. */
public final class EtcdProgram {

  /** Where it is, if it is installed. */
  public static final Path PATH =
      Path.of(System.getenv().getOrDefault("ENSEMBLE_ETCD", "/usr/bin/etcd"));

  private EtcdProgram() {}

  /** Skips the test if there is none. */
  public static void assumeInstalled() {
    assumeTrue(Files.isExecutable(PATH), "neither ENSEMBLE_ETCD nor Debian's etcd-server is there");
  }
}
