package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.report.SvgFile;

/** Writes pictures. */
public final class FigureFiles {

  private FigureFiles() {}

  /** Writes a picture into the directory of the options, and says so. */
  public static void write(BenchmarkOptions benchmarkOptions, String name, String svg) {
    benchmarkOptions.say(
        "drew %s", new SvgFile(name, svg).writeTo(benchmarkOptions.objectPlan().figures()));
  }
}
