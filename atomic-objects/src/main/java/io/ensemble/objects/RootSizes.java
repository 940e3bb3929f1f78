package io.ensemble.objects;

import io.ensemble.objects.protocol.ProtocolSettings;

/**
 * How much of an object stands in its root, the entry that each step writes and each look reads.
 * What is larger has less in the root, and an entry of its own for the state. Only who writes looks
 * at it: processes may differ in it, and each reads what the other one has written.
 *
 * <p>Each step writes the whole root, so small sizes make steps and looks cheap; but a state that
 * has an entry of its own is written anew, a round trip, whenever its tail has grown too long, and
 * the next look then takes a second round trip.
 *
 * @param inlineBytes how large a state may grow in the root, before it gets an entry of its own
 * @param tailBytes how much may be called after that entry was written, before the next one; a
 *     sixteenth of the state if that is more, up to 64 KiB; no more than 1 MiB, unless the
 *     factory's layout takes larger entries
 * @param tailSteps how many steps there are at least before the next one, unless they hold more
 *     than 64 KiB: calls that are large by themselves do not each have the state written
 */
public record RootSizes(int inlineBytes, int tailBytes, int tailSteps) {

  /** Throws {@link IllegalArgumentException} for a size below one. */
  public RootSizes {
    if (inlineBytes < 1 || tailBytes < 1 || tailSteps < 1) {
      throw new IllegalArgumentException(
          "sizes above zero are wanted; inlineBytes=%d; tailBytes=%d; tailSteps=%d"
              .formatted(inlineBytes, tailBytes, tailSteps));
    }
  }

  ProtocolSettings of(ProtocolSettings protocolSettings) {
    return protocolSettings.inlineBytes(inlineBytes).tailBytes(tailBytes).tailSteps(tailSteps);
  }
}
