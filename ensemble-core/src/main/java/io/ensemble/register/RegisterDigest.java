package io.ensemble.register;

import java.util.List;
import java.util.Objects;

/**
 * 64-bit fingerprints of protocol values, equal for equal values and the same in every run, for
 * state exploration.
 */
public final class RegisterDigest {

  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  private RegisterDigest() {}

  /** Combines two fingerprints; the order matters. */
  public static long of(long first, long second) {
    return mix(mix(first) + second);
  }

  /** A ballot's fingerprint. */
  public static long of(Ballot ballot) {
    long kind =
        switch (ballot.kind()) {
          case FAST -> 1;
          case CONFIRM -> 2;
          case CLASSIC -> 3;
        };
    long writer = ballot.writer().high() * SPREAD + ballot.writer().low();
    return mix((writer * SPREAD + ballot.round()) * SPREAD + kind);
  }

  /** A content's fingerprint; its quality is that of the value's hash code. */
  public static long of(Content<?> content) {
    long hash = of(content.sequence(), Objects.hashCode(content.value()));
    return of(hash, ballots(content.recent()));
  }

  /** A cell's fingerprint. */
  public static long of(Cell<?> cell) {
    long ballots = of(of(of(cell.promised()), of(cell.accepted())), of(cell.floor()));
    return of(ballots, of(cell.content()));
  }

  static long ballots(List<Ballot> ballots) {
    long hash = ballots.size();
    for (Ballot ballot : ballots) {
      hash = mix(hash + of(ballot));
    }
    return hash;
  }

  /** Spreads the bits of a number over all 64 (Steele, Lea and Flood, SplitMix, 2014). */
  public static long mix(long value) {
    long z = value + SPREAD;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
