package io.ensemble.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Properties;

/** YCSB's six core workloads. */
final class Workloads {

  private Workloads() {}

  /**
   * The properties of a workload.
   *
   * @param letter a to f, in either case
   * @throws IllegalArgumentException for any other
   */
  static Properties load(String letter) {
    String name = letter.toLowerCase(Locale.ROOT);
    if (!name.matches("[a-f]")) {
      throw new IllegalArgumentException("workload must be one of a to f; got '" + letter + "'");
    }
    Properties properties = new Properties();
    try (InputStream file = Workloads.class.getResourceAsStream("workloads/workload" + name)) {
      if (file == null) {
        throw new AssertionError("the jar must contain the workloads a to f; missing=" + name);
      }
      properties.load(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read workload " + name, e);
    }
    return properties;
  }
}
