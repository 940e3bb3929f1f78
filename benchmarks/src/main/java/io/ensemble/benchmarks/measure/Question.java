package io.ensemble.benchmarks.measure;

import java.util.Locale;
import java.util.function.BiFunction;

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

  private final BiFunction<Effort, FederationProcess, Answer> program;

  Question(BiFunction<Effort, FederationProcess, Answer> program) {
    this.program = program;
  }

  /** Starts a federation, measures, and stops it. Takes minutes. */
  public Answer answer(Effort effort) {
    try (FederationProcess federation = FederationProcess.start(effort.nodes())) {
      return answer(effort, federation);
    }
  }

  /** Measures in {@code federation}, which {@link #ROUND_TRIPS} leaves a site short. */
  Answer answer(Effort effort, FederationProcess federation) {
    return program.apply(effort, federation);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
