package io.ensemble.heat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Where a process is.
 *
 * @param site its local site; empty if it has none
 * @param roundTripMicros the shortest request to each site, in microseconds; at most {@link
 *     HeatSketch#MOST_SITES} sites
 */
record ProcessPlace(String site, Map<String, Integer> roundTripMicros) {

  static final ProcessPlace UNKNOWN = new ProcessPlace("", Map.of());

  ProcessPlace {
    roundTripMicros = Map.copyOf(roundTripMicros);
  }

  /** The local site, or else the site with the shortest round trip; empty if none is known. */
  String origin() {
    if (!site.isEmpty()) {
      return site;
    }
    Optional<String> nearest =
        roundTripMicros.entrySet().stream()
            .min(
                Map.Entry.<String, Integer>comparingByValue()
                    .thenComparing(Map.Entry::getKey, Comparator.naturalOrder()))
            .map(Map.Entry::getKey);
    return nearest.orElse("");
  }

  void writeTo(DataOutputStream out) throws IOException {
    out.writeUTF(site);
    out.writeByte(roundTripMicros.size());
    for (Map.Entry<String, Integer> one : new TreeMap<>(roundTripMicros).entrySet()) {
      out.writeUTF(one.getKey());
      out.writeInt(one.getValue());
    }
  }

  static ProcessPlace readFrom(DataInputStream in) throws IOException {
    String site = in.readUTF();
    Map<String, Integer> roundTrips = new TreeMap<>();
    for (int left = in.readByte(); left > 0; left--) {
      roundTrips.put(in.readUTF(), in.readInt());
    }
    return new ProcessPlace(site, roundTrips);
  }
}
