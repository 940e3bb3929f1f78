package io.ensemble.primary;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The decisions of the protocol, apart from its state. Tests plant mistakes in subclasses. */
class PrimaryRules {

  /**
   * Whether the primary's copy is that of the key, for this epoch. The copy counts if it is settled
   * in this epoch. A copy from before counts, as absent, if all keys have been recovered since.
   */
  <V> boolean isUsable(Copy<V> atPrimary, TermContext termContext) {
    return atPrimary.mark().epoch() == termContext.epoch()
        ? atPrimary.settled()
        : atPrimary.mark().epoch() < termContext.epoch() && termContext.isRecovered();
  }

  /** The copy that counts for this epoch; absent when the copy is void. */
  <V> Copy<V> valid(Copy<V> copy, TermContext termContext) {
    boolean isVoid = copy.mark().epoch() < termContext.floor() || isLeftOver(copy, termContext);
    return isVoid ? Copy.absent() : copy;
  }

  /**
   * Whether a copy was to be recovered into the epoch of the floor and was not settled there when
   * all keys had been recovered. Every copy that counted was settled; so this one is of a call that
   * came too late or was abandoned.
   */
  <V> boolean isLeftOver(Copy<V> copy, TermContext termContext) {
    return !copy.settled() && copy.mark().equals(CopyPosition.ofRecovery(termContext.floor()));
  }

  /** Whether the primary's copy, settled or not, is valid in this epoch. */
  <V> boolean isOfThisEpoch(Copy<V> atPrimary, TermContext termContext) {
    return atPrimary.mark().epoch() == termContext.epoch() && !isLeftOver(atPrimary, termContext);
  }

  /** Whether there is nothing to recover, and nothing at the primary that must be replaced. */
  <V> boolean isAbsence(Copy<V> latest, Copy<V> atPrimary, TermContext termContext) {
    return latest.isAbsent() && atPrimary.mark().epoch() < termContext.epoch();
  }

  /**
   * The copies that sites are assumed to show when an operation begins: none, whatever they showed
   * before.
   */
  <V> CopyTracker<V> createTracker(TermContext termContext, KnownCopies<V> knownCopies) {
    return new CopyTracker<>(termContext.sites());
  }

  /** How many sites must have shown their copies before a key is recovered. */
  int answersToRecover(TermContext termContext) {
    return termContext.majority();
  }

  /** How many sites besides the primary must hold a copy before it counts. */
  int requiredCopies(TermContext termContext) {
    return termContext.majority() - 1;
  }

  /** Whether a write's copies are written before the primary's. */
  boolean copiesFirst(TermContext termContext) {
    return termContext.copiesFirst();
  }

  /**
   * Whether the primary shows the copy on which a write was decided, or both are void and so
   * equivalent.
   */
  <V> boolean isUnchanged(Copy<V> decidedOn, Copy<V> atPrimary, TermContext termContext) {
    return atPrimary.mark().equals(decidedOn.mark())
        || (atPrimary.mark().epoch() < termContext.epoch()
            && decidedOn.mark().epoch() < termContext.epoch());
  }

  /** Whether a write is over before the primary has confirmed it: never. */
  boolean acknowledgesWhenSent() {
    return false;
  }

  /**
   * Whether an operation that is over may still replicate its copy to late sites: not after it has
   * reported that it had no effect.
   */
  boolean canStillReplicate(PrimaryOutcome<?, ?> outcome) {
    return outcome instanceof PrimaryOutcome.Done || outcome instanceof PrimaryOutcome.Unknown;
  }

  /** Whether {@code next} may replace the copy that a site holds. */
  <V> boolean mayReplace(Copy<V> current, Copy<V> next) {
    return next.mark().isAbove(current.mark());
  }

  /** Whether a site that took {@code stored} holds {@code expected}. */
  <V> boolean isSame(@Nullable Copy<V> stored, @Nullable Copy<V> expected) {
    return Objects.equals(stored, expected);
  }

  /** The later of two copies; recovery takes the latest copy of a majority. */
  <V> Copy<V> laterOf(@Nullable Copy<V> first, Copy<V> second) {
    return first == null || second.mark().isAbove(first.mark()) ? second : first;
  }
}
