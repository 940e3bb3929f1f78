package io.ensemble.benchmarks.measure;

import java.util.Locale;
import java.util.function.Function;

/** What can be asked. */
public enum Question {
  /** See {@link WeakRatio}. */
  WEAK_RATIO(WeakRatio::answer),
  /** See {@link RoundTrips}. */
  ROUND_TRIPS(RoundTrips::answer),
  /** See {@link MwmrRatio}. */
  MWMR_RATIO(MwmrRatio::answer),
  /** See {@link EnvelopeSize}. */
  ENVELOPE(EnvelopeSize::answer),
  /** See {@link ClientMemory}. */
  MEMORY(ClientMemory::answer);

  private final Function<Effort, Answer> program;

  Question(Function<Effort, Answer> program) {
    this.program = program;
  }

  /** Starts a federation, measures, and stops it. Takes minutes. */
  public Answer answer(Effort effort) {
    return program.apply(effort);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
