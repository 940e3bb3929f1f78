package io.ensemble.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where it was measured.
 *
 * @param loadAverage of the last minute, negative where the system does not tell: above the number
 *     of processors, others were at work and only ratios mean something
 */
public record MachineReport(
    String os,
    String processor,
    int processors,
    String jvm,
    long maxHeapBytes,
    double loadAverage) {

  /** This one, now. */
  public static MachineReport here() {
    return new MachineReport(
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"),
        processorModel(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
        Runtime.getRuntime().maxMemory(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static String processorModel() {
    Path info = Path.of("/proc/cpuinfo");
    try {
      return Files.readAllLines(info).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
