package io.ensemble.objects;

import io.ensemble.objects.protocol.ProtocolSettings;

/**
 * The part of an object that is in its root, the entry that each step writes and each read reads. A
 * larger object has less in the root, and a separate entry for the state. Only a process that
 * writes uses these sizes. Processes may use different sizes, and each reads the entries of the
 * others.
 *
 * <p>Each step writes the whole root, so small sizes make steps and reads cheap. But a state in a
 * separate entry is rewritten, at one round trip, whenever its tail has become too long. The next
 * read then takes a second round trip.
 *
 * @param inlineBytes the maximum size of a state in the root, in bytes; a larger state gets an
 *     entry of its own
 * @param tailBytes the bytes of calls after that entry was written, until the next one is written;
 *     a sixteenth of the state if that is more, up to 64 KiB; at most 1 MiB, unless the settings of
 *     the factory accept larger entries
 * @param tailSteps the minimum number of steps until the next one, unless they hold more than 64
 *     KiB; so calls that are large by themselves do not each have the state written
 */
public record RootSizes(int inlineBytes, int tailBytes, int tailSteps) {

  /** Throws {@link IllegalArgumentException} for a size below one. */
  public RootSizes {
    if (inlineBytes < 1 || tailBytes < 1 || tailSteps < 1) {
      throw new IllegalArgumentException(
          "sizes must be above zero; inlineBytes=%d; tailBytes=%d; tailSteps=%d"
              .formatted(inlineBytes, tailBytes, tailSteps));
    }
  }

  ProtocolSettings of(ProtocolSettings protocolSettings) {
    return protocolSettings.inlineBytes(inlineBytes).tailBytes(tailBytes).tailSteps(tailSteps);
  }
}
