package io.ensemble.heat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Processes that have published windows of one cache, as an entry that they change: at most {@value
 * #MOST} of them, of which the longest silent one is dropped first. A cache has {@value #SLOTS}
 * such entries, and the id of a process decides to which one it belongs. Immutable.
 */
record HeatClients(List<Client> clients) {

  /** The most processes in one entry. */
  static final int MOST = 256;

  /** How many entries list the processes of a cache. */
  static final int SLOTS = 16;

  private static final HeatClients NONE = new HeatClients(List.of());

  /**
   * A process.
   *
   * @param id its id, without blanks
   * @param windowMillis the length of its windows
   * @param untilMillis it announces itself again before it publishes a window that begins then
   */
  record Client(String id, long windowMillis, long untilMillis) {}

  HeatClients {
    clients = List.copyOf(clients);
  }

  /** The entry to which a process belongs. */
  static int slot(String id) {
    return Math.floorMod(id.hashCode(), SLOTS);
  }

  /** Lines that are not readable are left out: the process announces itself again. */
  static HeatClients of(byte @Nullable [] bytes) {
    if (bytes == null) {
      return NONE;
    }
    List<Client> read = new ArrayList<>();
    for (String line : new String(bytes, StandardCharsets.UTF_8).lines().limit(MOST).toList()) {
      String[] parts = line.split(" ", -1);
      if (parts.length == 3 && parts[1].matches("[0-9]{1,9}") && parts[2].matches("[0-9]{1,18}")) {
        Client client = new Client(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]));
        if (client.windowMillis() > 0) {
          read.add(client);
        }
      }
    }
    return new HeatClients(read);
  }

  byte[] toBytes() {
    StringBuilder text = new StringBuilder();
    for (Client one : clients) {
      text.append(one.id()).append(' ').append(one.windowMillis()).append(' ');
      text.append(one.untilMillis()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  Optional<Client> client(String id) {
    return clients.stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /** With {@code client}, and without those that have published nothing since {@code millis}. */
  HeatClients with(Client client, long millis) {
    return latest(
        Stream.concat(
                clients.stream().filter(one -> one.untilMillis() >= millis), Stream.of(client))
            .toList());
  }

  /** The processes of both; of a process that both have, the later announcement. */
  HeatClients and(HeatClients other) {
    List<Client> all = new ArrayList<>(clients);
    all.addAll(other.clients);
    return latest(all);
  }

  /** The same for every order of {@code all}, so that all sites agree about concurrent changes. */
  private static HeatClients latest(List<Client> all) {
    Map<String, Client> each = new LinkedHashMap<>();
    for (Client one : all) {
      each.merge(
          one.id(), one, (known, next) -> next.untilMillis() > known.untilMillis() ? next : known);
    }
    List<Client> sorted =
        each.values().stream()
            .sorted(
                Comparator.comparingLong(Client::untilMillis).reversed().thenComparing(Client::id))
            .limit(MOST)
            .toList();
    return new HeatClients(sorted);
  }
}
