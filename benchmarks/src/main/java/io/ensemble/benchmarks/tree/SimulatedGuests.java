package io.ensemble.benchmarks.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.SharedTree;
import io.ensemble.tree.TreePath;
import io.ensemble.tree.TreeTransaction;
import io.ensemble.tree.TreeWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A host whose guests start and stop, as far as it uses the tree: the toolstack, the drivers of the
 * host and those of the guests exchange the states of a disk and a network card by nodes and
 * watches, as on Xen. There is no hypervisor, no guest and no device: all of them are threads of
 * this process, and a step that a real host would take is a step of the tree only.
 *
 * <p>The states of a device: 1 new, 2 the host waits, 3 the guest has its rings, 4 connected, 5
 * closing, 6 closed.
 */
final class SimulatedGuests implements AutoCloseable {

  private static final String HOST = "/local/domain/0";
  private static final List<String> DEVICES = List.of("vbd/51712", "vif/0");
  private static final long LONGEST_SECONDS = 600;
  private static final int THREADS = 8;

  /** A guest that has been started. */
  private static final class Guest {
    final int number;
    final SharedTree tree;
    final List<TreeWatch> watches = new ArrayList<>();
    final CompletableFuture<Boolean> connected = new CompletableFuture<>();
    final CompletableFuture<Boolean> closed = new CompletableFuture<>();

    Guest(int number, SharedTree tree) {
      this.number = number;
      this.tree = tree;
    }

    String home() {
      return "/local/domain/" + number;
    }

    String front(String device) {
      return home() + "/device/" + device;
    }

    String back(String device) {
      return HOST + "/backend/" + device.replaceFirst("/", "/" + number + "/");
    }
  }

  private final SharedTree toolstack;
  private final SharedTree host;
  private final List<SharedTree> trees;
  private final boolean isAnyChangeAConflict;
  private final ExecutorService drivers = Executors.newFixedThreadPool(THREADS);
  private final Map<Integer, Guest> guests = new ConcurrentHashMap<>();

  /**
   * @param trees handles of the administrator, each of another client
   * @param isAnyChangeAConflict whether every change anywhere is one, as in the first Xenstored
   */
  SimulatedGuests(List<SharedTree> trees, boolean isAnyChangeAConflict) {
    this.trees = trees;
    this.toolstack = trees.get(0);
    this.host = trees.get(1 % trees.size());
    this.isAnyChangeAConflict = isAnyChangeAConflict;
  }

  /** Makes a transaction under the rule of this run. */
  void transact(SharedTree tree, Consumer<TreeTransaction> body) {
    tree.transact(
        t -> {
          if (isAnyChangeAConflict) {
            t.lastChange("/");
          }
          body.accept(t);
          return true;
        });
  }

  /** The handle of a guest, with the guest as its user. */
  SharedTree treeOf(int number) {
    return guest(number).tree;
  }

  private Guest guest(int number) {
    Guest guest = guests.get(number);
    if (guest == null) {
      throw new IllegalStateException("guest " + number + " is not started");
    }
    return guest;
  }

  /**
   * Starts a guest, and waits until its devices are connected.
   *
   * @param building runs within the transaction that configures the guest, as often as that does
   */
  void start(int number, Runnable building) {
    String user = "guest-" + number;
    Guest guest = new Guest(number, trees.get((2 + number) % trees.size()).as(user));
    transact(
        toolstack,
        t -> {
          configure(t, guest, user);
          building.run();
        });
    guests.put(number, guest);
    watch(guest, toolstack, guest.home() + "/device", this::toolstackStep);
    watch(guest, host, guest.home() + "/device", this::hostStep);
    for (String device : DEVICES) {
      watch(guest, guest.tree, guest.back(device), this::guestStep);
    }
    watch(guest, guest.tree, guest.home() + "/control", this::guestStep);
    await(guest.connected, "the devices of guest " + number + " are not connected");
  }

  /** Lets a guest shut itself down, and removes what is left of it. */
  void shutDown(int number) {
    Guest guest = guest(number);
    transact(toolstack, t -> t.write(guest.home() + "/control/shutdown", bytes("poweroff")));
    await(guest.closed, "the devices of guest " + number + " are not closed");
    guest.watches.forEach(TreeWatch::close);
    transact(
        toolstack,
        t -> {
          DEVICES.forEach(device -> t.remove(parent(guest.back(device))));
          t.remove(guest.home());
        });
    guests.remove(number);
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private static void await(CompletableFuture<Boolean> stage, String failure) {
    try {
      stage.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException
        | java.util.concurrent.ExecutionException
        | java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException(failure, e);
    }
  }

  /** The step is made now, and after each change. */
  private void watch(Guest guest, SharedTree tree, String path, Consumer<Guest> step) {
    guest.watches.add(tree.watch(path, event -> perform(guest, step)));
    perform(guest, step);
  }

  private void perform(Guest guest, Consumer<Guest> step) {
    try {
      drivers.execute(
          () -> {
            try {
              step.accept(guest);
            } catch (RuntimeException e) {
              guest.connected.completeExceptionally(e);
              guest.closed.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException closed) {
      // The measurement is over.
    }
  }

  private static void configure(TreeTransaction t, Guest guest, String user) {
    t.create(guest.home(), new byte[0]);
    t.setPermissions(
        guest.home(),
        NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE).with(user, NodeAccess.READ));
    for (String node :
        List.of(
            "name",
            "vm",
            "domid",
            "memory/target",
            "cpu/0/availability",
            "console/limit",
            "control/shutdown")) {
      t.create(guest.home() + "/" + node, new byte[0]);
    }
    for (String device : DEVICES) {
      String front = guest.front(device);
      String back = guest.back(device);
      t.create(front, new byte[0]);
      t.setPermissions(front, NodePermissions.of(user, NodeAccess.NONE));
      t.create(back, new byte[0]);
      t.setPermissions(
          back,
          NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE)
              .with(user, NodeAccess.READ));
      t.create(front + "/backend", bytes(back));
      t.create(front + "/backend-id", bytes("0"));
      t.create(front + "/virtual-device", bytes("51712"));
      t.create(front + "/state", bytes("1"));
      t.create(back + "/frontend", bytes(front));
      t.create(back + "/frontend-id", bytes(String.valueOf(guest.number)));
      t.create(back + "/params", bytes("/dev/guests/" + guest.number));
      t.create(back + "/mode", bytes("w"));
      t.create(back + "/state", bytes("1"));
    }
    t.create(guest.home() + "/device/foo", new byte[0]);
    t.create(guest.home() + "/device/bar", new byte[0]);
    NodePermissions own = NodePermissions.of(user, NodeAccess.NONE);
    t.setPermissions(guest.home() + "/device/foo", own);
    t.setPermissions(guest.home() + "/device/bar", own);
  }

  private void toolstackStep(Guest guest) {
    List<Integer> states =
        toolstack.transact(
            t -> DEVICES.stream().map(device -> state(t, guest.front(device))).toList());
    if (states.stream().allMatch(state -> state == 4)) {
      guest.connected.complete(true);
    } else if (states.stream().allMatch(state -> state == 6)) {
      guest.closed.complete(true);
    }
  }

  private void hostStep(Guest guest) {
    for (String device : DEVICES) {
      String back = guest.back(device);
      advance(
          host,
          t -> {
            int mine = state(t, back);
            int others = state(t, guest.front(device));
            if (mine == 1) {
              t.write(back + "/hotplug-status", bytes("connected"));
              return 2;
            }
            if (mine == 2 && others == 3) {
              t.write(back + "/sectors", bytes("16777216"));
              t.write(back + "/sector-size", bytes("512"));
              return 4;
            }
            return mine == 4 && others == 5 ? 6 : mine;
          },
          back);
    }
  }

  private void guestStep(Guest guest) {
    for (String device : DEVICES) {
      String front = guest.front(device);
      advance(
          guest.tree,
          t -> {
            int mine = state(t, front);
            int others = state(t, guest.back(device));
            if (mine == 1 && others == 2) {
              t.write(front + "/ring-ref", bytes("8"));
              t.write(front + "/event-channel", bytes("15"));
              return 3;
            }
            if (mine == 3 && others == 4) {
              return 4;
            }
            boolean isToStop =
                t.read(guest.home() + "/control/shutdown").map(v -> v.length > 0).orElse(false);
            return mine == 4 && isToStop ? 5 : mine == 5 && others == 6 ? 6 : mine;
          },
          front);
    }
  }

  private interface DeviceStep {
    int next(TreeTransaction transaction);
  }

  /** Writes the next state of a device, if it is another one. */
  private void advance(SharedTree tree, DeviceStep step, String device) {
    transact(
        tree,
        t -> {
          int before = state(t, device);
          int next = step.next(t);
          if (before != 0 && next != before) {
            t.write(device + "/state", bytes(String.valueOf(next)));
          }
        });
  }

  /** The state of a device; 0 if it is removed. */
  private static int state(TreeTransaction t, String device) {
    return t.read(TreePath.of(device).child("state").toString())
        .map(value -> Integer.parseInt(new String(value, UTF_8)))
        .orElse(0);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Override
  public void close() {
    drivers.shutdownNow();
    guests.values().forEach(guest -> guest.watches.forEach(TreeWatch::close));
  }
}
