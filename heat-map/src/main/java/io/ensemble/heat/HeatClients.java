package io.ensemble.heat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The processes that have published windows of one cache, as an entry that all of them change: at
 * most {@value #MOST} of them, of which the longest silent one is dropped first. Immutable.
 */
record HeatClients(List<Client> clients) {

  static final int MOST = 256;

  private static final HeatClients NONE = new HeatClients(List.of());

  /**
   * A process.
   *
   * @param id its id, without blanks
   * @param windowMillis the length of its windows
   * @param announcedMillis the beginning of a recent window
   */
  record Client(String id, long windowMillis, long announcedMillis) {}

  HeatClients {
    clients = List.copyOf(clients);
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
      text.append(one.announcedMillis()).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  Optional<Client> client(String id) {
    return clients.stream().filter(one -> one.id().equals(id)).findFirst();
  }

  /** With {@code client}, and without those that have published nothing since {@code millis}. */
  HeatClients with(Client client, long millis) {
    List<Client> all = new ArrayList<>();
    for (Client one : clients) {
      if (!one.id().equals(client.id()) && one.announcedMillis() >= millis) {
        all.add(one);
      }
    }
    all.sort(Comparator.comparingLong(Client::announcedMillis).reversed());
    all.add(0, client);
    return new HeatClients(all.subList(0, Math.min(MOST, all.size())));
  }
}
