package io.ensemble.benchmarks.process;

import java.lang.management.ManagementFactory;
import java.util.List;

/** Options of the JIT compiler that processes of the benchmarks inherit from their parent. */
public final class CompilerOptions {

  private CompilerOptions() {}

  /**
   * The highest compilation level of this JVM, if its command line has one. Tests set it, because
   * compiling short-lived processes further costs more than their work; measurements do not.
   */
  public static List<String> ofThisProcess() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-XX:TieredStopAtLevel="))
        .toList();
  }
}
