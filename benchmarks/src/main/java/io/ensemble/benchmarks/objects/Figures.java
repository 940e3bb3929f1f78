package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.report.Picture;

/** Where pictures go. */
final class Figures {

  private Figures() {}

  static void write(Effort effort, String name, String svg) {
    effort.say("drew %s", new Picture(name, svg).writeTo(effort.crowd().figures()));
  }
}
