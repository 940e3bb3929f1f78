package io.ensemble.primary;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The decisions of the protocol, apart from its course. Subclasses plant mistakes, in tests. */
class PrimaryRules {

  /**
   * Whether the primary's copy is the key's, for this epoch: settled in it; or from before, when
   * everything that counts has been recovered since, and so as good as absent.
   */
  <V> boolean isUsable(Copy<V> atPrimary, TermContext termContext) {
    return atPrimary.mark().epoch() == termContext.epoch()
        ? atPrimary.settled()
        : atPrimary.mark().epoch() < termContext.epoch() && termContext.isRecovered();
  }

  /** The copy that counts for this epoch; absent when it is void. */
  <V> Copy<V> valid(Copy<V> copy, TermContext termContext) {
    boolean isVoid = copy.mark().epoch() < termContext.floor() || isLeftOver(copy, termContext);
    return isVoid ? Copy.absent() : copy;
  }

  /**
   * Whether a copy was to be recovered into the epoch of the floor and not settled there when all
   * keys had been. What counted was; so this is of a call that came too late, or was given up.
   */
  <V> boolean isLeftOver(Copy<V> copy, TermContext termContext) {
    return !copy.settled() && copy.mark().equals(CopyPosition.ofRecovery(termContext.floor()));
  }

  /** Whether what the primary has, settled or not, is what this epoch goes by. */
  <V> boolean isOfThisEpoch(Copy<V> atPrimary, TermContext termContext) {
    return atPrimary.mark().epoch() == termContext.epoch() && !isLeftOver(atPrimary, termContext);
  }

  /** Whether there is nothing to recover, and nothing at the primary that must go. */
  <V> boolean isNothing(Copy<V> found, Copy<V> atPrimary, TermContext termContext) {
    return found.isAbsent() && atPrimary.mark().epoch() < termContext.epoch();
  }

  /**
   * What sites are taken to show when an operation begins: nothing, whatever they showed before.
   */
  <V> CopyTracker<V> table(TermContext termContext, KnownCopies<V> knownCopies) {
    return new CopyTracker<>(termContext.sites());
  }

  /** How many sites must have shown their copies before a key is recovered. */
  int answersToRecover(TermContext termContext) {
    return termContext.majority();
  }

  /** How many sites besides the primary must hold a copy before it counts. */
  int copies(TermContext termContext) {
    return termContext.majority() - 1;
  }

  /** Whether a write's copies go before the primary's. */
  boolean copiesFirst(TermContext termContext) {
    return termContext.copiesFirst();
  }

  /** Whether the primary shows what a write was decided on, or both are void and so alike. */
  <V> boolean isStill(Copy<V> decidedOn, Copy<V> atPrimary, TermContext termContext) {
    return atPrimary.mark().equals(decidedOn.mark())
        || (atPrimary.mark().epoch() < termContext.epoch()
            && decidedOn.mark().epoch() < termContext.epoch());
  }

  /** Whether a write is over before the primary has said that it took it: never. */
  boolean acknowledgesWhenSent() {
    return false;
  }

  /**
   * Whether an operation that is over may still bring its copy to sites that are late: not when it
   * has told that it had no effect.
   */
  boolean mayStillSpread(PrimaryOutcome<?, ?> outcome) {
    return outcome instanceof PrimaryOutcome.Done || outcome instanceof PrimaryOutcome.Unknown;
  }

  /** Whether {@code next} may take the place of what a site holds. */
  <V> boolean mayReplace(Copy<V> held, Copy<V> next) {
    return next.mark().isAbove(held.mark());
  }

  /** Whether a site that took {@code stored} holds {@code wanted}. */
  <V> boolean isSame(@Nullable Copy<V> stored, @Nullable Copy<V> wanted) {
    return Objects.equals(stored, wanted);
  }

  /** The later of two copies; what is recovered is the latest of a majority's. */
  <V> Copy<V> later(@Nullable Copy<V> one, Copy<V> other) {
    return one == null || other.mark().isAbove(one.mark()) ? other : one;
  }
}
