package io.ensemble.zoofence.deployment;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.flattening.SubtreeMove;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.AclIntent;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.PlacedOperations;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Finds the znodes that differ at the instances that hold them, and makes them equal again. A queue
 * stops when its instances give different results, which only a writer that bypasses ZooFence can
 * cause. After a repair the leader of the queue continues within seconds.
 *
 * <p>The records of the queues are compared as well: a command that took effect at one instance
 * only is among the differences. The znodes below {@code /zookeeper} are not compared.
 */
public final class QueueRepair {
  /**
   * A znode, or the record of a command, that differs.
   *
   * @param subject the path of the znode, or the queue and its command
   * @param states the state at each instance that must have it, by the name of the instance
   */
  public record Difference(String subject, Map<String, String> states) {
    public Difference {
      states = Collections.unmodifiableMap(new LinkedHashMap<>(states));
    }
  }

  private record Znode(byte[] data, List<ACL> acl, Stat stat, byte @Nullable [] owner) {
    /** The number of children that were ever created, as in a sequential name. */
    int countCreated() {
      return (stat.getCversion() + stat.getNumChildren()) / 2;
    }

    String describe(boolean isHolder) {
      if (!isHolder) {
        return "present";
      }
      var checksum = new CRC32();
      checksum.update(data);
      return "version "
          + stat.getVersion()
          + ", "
          + data.length
          + " bytes (checksum "
          + HexFormat.of().toHexDigits((int) checksum.getValue())
          + "), access list "
          + acl
          + " version "
          + stat.getAversion()
          + ", "
          + countCreated()
          + " children created"
          + (owner == null ? "" : ", owner " + HexFormat.of().formatHex(owner));
    }
  }

  private static final String ABSENT = "absent";
  private static final String CANDIDATE = "/n-repair-";
  private static final int BATCH = 500;
  private static final int MOST_CHANGES = 1_000_000;

  private final Deployment deployment;
  private final Duration connectTimeout;
  private final List<QueueCommand.Credential> credentials;

  /**
   * @param connectTimeout how long to wait for a connection to each ensemble
   * @param credentials the credentials with which znodes are read and changed
   */
  public QueueRepair(
      Deployment deployment, Duration connectTimeout, List<QueueCommand.Credential> credentials) {
    this.deployment = deployment;
    this.connectTimeout = connectTimeout;
    this.credentials = List.copyOf(credentials);
  }

  /**
   * Finds the differences, and changes nothing. Reads everything that several instances hold twice,
   * and reports what differs in the same way both times: a command under way makes instances differ
   * for a moment. Thread-safe.
   *
   * @param root the path at and below which znodes are compared; {@code /} compares the records of
   *     the queues, too
   * @throws DeploymentException if an ensemble is not reached, or a znode cannot be read
   */
  public List<Difference> findDifferences(String root) throws InterruptedException {
    try (var connections = new Connections()) {
      List<Difference> first = connections.compareAll(root);
      if (first.isEmpty()) {
        return first;
      }
      List<Difference> second = connections.compareAll(root);
      return first.stream().filter(second::contains).toList();
    } catch (KeeperException e) {
      throw toException(e);
    }
  }

  /**
   * Gives all holders what one instance has, for everything that this instance holds. All queues
   * pause meanwhile. If a znode does not exist there, it is removed at the others, together with
   * everything below it. Versions grow to the highest one of all holders, or by one. Repeating the
   * call is safe, and continues a repair that was interrupted.
   *
   * @param root the path at and below which znodes are repaired; only {@code /} repairs the records
   *     of the queues as well, so that stopped queues continue. Another path is refused while these
   *     records differ in a queue that can change it
   * @param source the name of the instance
   * @return the differences that remain: of znodes that the instance does not hold
   * @throws DeploymentException if an ensemble is not reached, the credentials do not suffice, or
   *     another repair or leader is active; part of the repair may have been done. Also if a
   *     command took effect at some instances only, and the state of the source cannot complete or
   *     undo it at the others; then nothing has been changed
   */
  public List<Difference> repair(String root, String source) throws InterruptedException {
    List<String> names = deployment.instances().stream().map(InstanceServers::name).toList();
    int sourceInstance = names.indexOf(source);
    if (sourceInstance < 0) {
      throw new DeploymentException(
          "no ensemble is named '" + source + "'; known are " + String.join(", ", names), null);
    }
    try (var connections = new Connections()) {
      connections.takeLead();
      connections.checkSlots(root, sourceInstance);
      connections.repairAll(root, sourceInstance);
      return connections.compareAll(root);
    } catch (KeeperException e) {
      throw toException(e);
    }
  }

  private static DeploymentException toException(KeeperException e) {
    String reason =
        e instanceof KeeperException.NoAuthException
            ? "the credentials do not permit to read or change " + e.getPath()
            : e instanceof KeeperException.BadVersionException
                ? "another leader became active; run the repair again"
                : "an ensemble rejected a request; run the repair again";
    return new DeploymentException(reason + " (" + e.getMessage() + ")", e);
  }

  /** Clients of the administrative ensemble and of all instances, and the leadership of queues. */
  private final class Connections implements AutoCloseable {
    private final ZooKeeper admin;
    private final List<ZooKeeper> clients = new ArrayList<>();
    private final Flattening flattening;
    private final List<InstanceSet> queues;
    private final Map<Integer, List<Op>> epochChecks = new HashMap<>();

    Connections() throws InterruptedException, KeeperException {
      admin = Deployment.open(deployment.admin(), connectTimeout, deployment.access());
      try {
        admin.sync(ZooFencePaths.QUEUES);
        flattening = readFlattening();
        queues =
            admin.getChildren(ZooFencePaths.QUEUES, false).stream()
                .map(queue -> new InstanceSet(Long.parseUnsignedLong(queue, 16)))
                .toList();
        for (InstanceServers instance : deployment.instances()) {
          ZooKeeper client = Deployment.open(instance, connectTimeout);
          clients.add(client);
          for (QueueCommand.Credential credential : credentials) {
            byte[] proof = new byte[credential.proof().remaining()];
            credential.proof().duplicate().get(proof);
            client.addAuthInfo(credential.scheme(), proof);
          }
        }
      } catch (InterruptedException | KeeperException | RuntimeException e) {
        close();
        throw e;
      }
    }

    private Flattening readFlattening() throws InterruptedException, KeeperException {
      List<String> names = deployment.instances().stream().map(InstanceServers::name).toList();
      byte[] data = admin.getData(ZooFencePaths.FLATTENING, false, null);
      FlatteningEpoch epoch = FlatteningEpoch.read(data, names);
      if (epoch.move() != null && epoch.move().phase() != SubtreeMove.Phase.DONE) {
        throw new DeploymentException(
            "a subtree is being moved; repair when the move has ended: " + epoch.move().path(),
            null);
      }
      return epoch.flattening();
    }

    /**
     * Becomes the leader of every queue. The znode comes before those of all other candidates, so
     * every later leader waits until this client ends. The epochs fence the present leaders.
     */
    void takeLead() throws InterruptedException, KeeperException {
      for (InstanceSet queue : queues) {
        String election = ZnodePaths.child(ZooFencePaths.LEADERS, ZooFencePaths.hex(queue.bits()));
        Deployment.createIfAbsent(admin, election, "");
        var stat = new Stat();
        try {
          admin.create(
              election + CANDIDATE,
              new byte[0],
              ZooDefs.Ids.OPEN_ACL_UNSAFE,
              CreateMode.EPHEMERAL,
              stat);
        } catch (KeeperException.NodeExistsException e) {
          throw new DeploymentException(
              "another repair is active, or one has ended less than a session's timeout ago", e);
        }
        for (int instance : queue.numbers()) {
          raiseEpoch(instance, queue, stat.getCzxid());
        }
      }
    }

    private void raiseEpoch(int instance, InstanceSet queue, long term)
        throws InterruptedException, KeeperException {
      ZooKeeper client = clients.get(instance);
      String record = recordPath(queue);
      Deployment.createIfAbsent(client, record, "");
      byte[] data = ByteBuffer.allocate(Long.BYTES).putLong(term).array();
      // No leader of a later term exists, so any version may be replaced.
      int epoch = client.setData(record, data, -1).getVersion();
      epochChecks.computeIfAbsent(instance, key -> new ArrayList<>()).add(Op.check(record, epoch));
    }

    private String recordPath(InstanceSet queue) {
      return ZnodePaths.child(ZooFencePaths.APPLIED, ZooFencePaths.hex(queue.bits()));
    }

    private String name(int instance) {
      return deployment.instances().get(instance).name();
    }

    /** The paths of which several instances must have a znode, parents first. */
    private List<String> listPaths(String root) throws InterruptedException, KeeperException {
      var paths = new ArrayList<String>();
      var pending = new ArrayDeque<>(List.of(root));
      for (ZooKeeper client : clients) {
        client.sync("/");
      }
      while (!pending.isEmpty()) {
        String parent = pending.remove();
        paths.add(parent);
        InstanceSet holders = flattening.holders(parent);
        if (holders.isSingle()) {
          continue;
        }
        var names = new TreeSet<String>();
        for (int instance : holders.numbers()) {
          names.addAll(listChildren(instance, parent));
        }
        for (String child : names) {
          String path = ZnodePaths.child(parent, child);
          if (!ZnodePaths.under(path, "/zookeeper")) {
            pending.add(path);
          }
        }
      }
      return paths;
    }

    private List<String> listChildren(int instance, String path)
        throws InterruptedException, KeeperException {
      try {
        return clients.get(instance).getChildren(path, false);
      } catch (KeeperException.NoNodeException e) {
        return List.of();
      }
    }

    private @Nullable Znode read(int instance, String path)
        throws InterruptedException, KeeperException {
      ZooKeeper client = clients.get(instance);
      try {
        var stat = new Stat();
        boolean isHolder = flattening.holders(path).contains(instance);
        if (!isHolder) {
          Stat found = client.exists(path, false);
          return found == null ? null : new Znode(new byte[0], List.of(), found, null);
        }
        byte[] data = client.getData(path, false, stat);
        return new Znode(
            data == null ? new byte[0] : data,
            client.getACL(path, new Stat()),
            stat,
            readOptional(client, ownerPath(path)));
      } catch (KeeperException.NoNodeException e) {
        return null;
      }
    }

    private String ownerPath(String path) {
      return ZnodePaths.child(ZooFencePaths.OWNED, ZooFencePaths.escaped(path));
    }

    private byte @Nullable [] readOptional(ZooKeeper client, String path)
        throws InterruptedException, KeeperException {
      try {
        return client.getData(path, false, null);
      } catch (KeeperException.NoNodeException e) {
        return null;
      }
    }

    private Map<Integer, @Nullable Znode> readAll(String path)
        throws InterruptedException, KeeperException {
      var znodes = new TreeMap<Integer, @Nullable Znode>();
      for (int instance : flattening.holdersOfParent(path).numbers()) {
        znodes.put(instance, read(instance, path));
      }
      return znodes;
    }

    List<Difference> compareAll(String root) throws InterruptedException, KeeperException {
      var differences = new ArrayList<Difference>();
      for (String path : listPaths(root)) {
        Map<Integer, @Nullable Znode> znodes = readAll(path);
        if (!isEqual(path, znodes)) {
          var states = new LinkedHashMap<String, String>();
          znodes.forEach(
              (instance, znode) ->
                  states.put(
                      name(instance),
                      znode == null
                          ? ABSENT
                          : znode.describe(flattening.holders(path).contains(instance))));
          differences.add(new Difference(path, states));
        }
      }
      for (InstanceSet queue : root.equals("/") ? queues : List.<InstanceSet>of()) {
        differences.addAll(compareSlots(queue));
      }
      return differences;
    }

    private boolean isEqual(String path, Map<Integer, @Nullable Znode> znodes) {
      if (znodes.values().stream().anyMatch(znode -> znode == null)) {
        return znodes.values().stream().allMatch(znode -> znode == null);
      }
      return znodes.entrySet().stream()
              .filter(entry -> flattening.holders(path).contains(entry.getKey()))
              .map(entry -> Objects.requireNonNull(entry.getValue()).describe(true))
              .distinct()
              .count()
          <= 1;
    }

    private List<Difference> compareSlots(InstanceSet queue)
        throws InterruptedException, KeeperException {
      var differences = new ArrayList<Difference>();
      for (String slot : slotPaths(queue)) {
        var states = new LinkedHashMap<String, String>();
        for (int instance : queue.numbers()) {
          states.put(name(instance), describeSlot(readOptional(clients.get(instance), slot)));
        }
        if (states.values().stream().distinct().count() > 1) {
          differences.add(
              new Difference(
                  "slot " + ZnodePaths.name(slot) + " of the queue of " + queue, states));
        }
      }
      return differences;
    }

    private static String describeSlot(byte @Nullable [] data) {
      String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
      return text.isEmpty() ? "unused" : "command " + text.replace("\n", " ") + " took effect";
    }

    private List<String> slotPaths(InstanceSet queue) {
      var paths = new ArrayList<String>();
      for (int slot = 0; slot < QueueReplica.SLOTS; slot++) {
        paths.add(recordPath(queue) + "/s" + slot);
      }
      return paths;
    }

    /**
     * Refuses a repair that would change znodes of a command and not its slots, or the reverse. The
     * epochs fence the leaders, so a command under way has come to a halt anywhere.
     */
    void checkSlots(String root, int source) throws InterruptedException, KeeperException {
      for (InstanceSet queue : queues) {
        if (root.equals("/")) {
          if (queue.contains(source)) {
            checkCommands(queue, source);
          }
        } else if (!queue.without(flattening.holdersOfParent(root)).equals(queue)
            && !compareSlots(queue).isEmpty()) {
          throw new DeploymentException(
              "a command of the queue of "
                  + queue
                  + " took effect at some ensembles only; run the repair again, and if the queue has"
                  + " stopped, repair / instead of "
                  + root,
              null);
        }
      }
    }

    private void checkCommands(InstanceSet queue, int source)
        throws InterruptedException, KeeperException {
      for (String slot : slotPaths(queue)) {
        var states = new TreeMap<Integer, DedupSlot>();
        for (int instance : queue.numbers()) {
          byte[] data = readOptional(clients.get(instance), slot);
          states.put(instance, data == null ? DedupSlot.UNUSED : DedupSlot.read(data));
        }
        for (DedupSlot state : new HashSet<>(states.values())) {
          QueueCommand command =
              state.command() < 0 || Collections.frequency(states.values(), state) == queue.size()
                  ? null
                  : readCommand(queue, state.command());
          if (command != null) {
            checkCommand(queue, source, state.command(), command, states);
          }
        }
      }
    }

    private void checkCommand(
        InstanceSet queue,
        int source,
        long number,
        QueueCommand command,
        Map<Integer, DedupSlot> states) {
      if (command.type() == QueueCommand.LOCK || command.type() == QueueCommand.MOVE) {
        return;
      }
      var placed = new PlacedOperations(CommandPlan.readOperations(command), flattening);
      for (int instance : queue.numbers()) {
        if (!Objects.equals(states.get(instance), states.get(source))
            && !placed.isVisibleAt(source, instance)) {
          throw new DeploymentException(
              "command "
                  + number
                  + " of the queue of "
                  + queue
                  + " is being executed, and changes znodes of "
                  + name(instance)
                  + " that "
                  + name(source)
                  + " does not hold; run the repair again",
              null);
        }
      }
    }

    /** A command that is in its queue; null if it is not. */
    private @Nullable QueueCommand readCommand(InstanceSet queue, long number)
        throws InterruptedException, KeeperException {
      String path = ZooFencePaths.queue(queue);
      byte[] data = admin.getData(path, false, null);
      String base = data == null ? "" : new String(data, StandardCharsets.UTF_8);
      // The base of the numbers is the data of the queue's znode.
      long sequence = number - (base.isEmpty() ? 0 : Long.parseLong(base));
      byte[] command = readOptional(admin, ZnodePaths.numbered(path + "/c-", sequence));
      return command == null ? null : QueueCommand.read(command);
    }

    void repairAll(String root, int source) throws InterruptedException, KeeperException {
      List<String> paths = listPaths(root);
      for (String path : paths) {
        Map<Integer, @Nullable Znode> znodes = readAll(path);
        if (znodes.containsKey(source) && !isEqual(path, znodes)) {
          repairZnode(path, source, znodes.get(source));
        }
      }
      Collections.reverse(paths);
      // Creations have raised the counts of the parents. An access list may forbid creations.
      for (String path : paths) {
        Map<Integer, @Nullable Znode> znodes = readAll(path);
        Znode original = flattening.holders(path).contains(source) ? znodes.get(source) : null;
        if (original != null && !isEqual(path, znodes)) {
          alignChildCounts(path);
          alignAcl(path, original);
        }
      }
      for (InstanceSet queue : queues) {
        if (root.equals("/") && queue.contains(source)) {
          copySlots(queue, source);
        }
      }
    }

    private void repairZnode(String path, int source, @Nullable Znode original)
        throws InterruptedException, KeeperException {
      InstanceSet holders = flattening.holders(path);
      for (int instance : flattening.holdersOfParent(path).numbers()) {
        boolean isPresent = clients.get(instance).exists(path, false) != null;
        if (original == null && isPresent) {
          removeSubtree(instance, path);
        } else if (original != null && !isPresent) {
          byte[] data = holders.contains(instance) ? original.data() : new byte[0];
          // A changed access list is set last: it may forbid the steps before.
          boolean isOpen = original.acl().isEmpty() || original.stat().getAversion() > 0;
          List<ACL> acl = isOpen ? ZooDefs.Ids.OPEN_ACL_UNSAFE : original.acl();
          change(instance, List.of(Op.create(path, data, acl, CreateMode.PERSISTENT)));
        }
      }
      if (original != null && holders.contains(source)) {
        alignVersions(path, original);
        copyOwner(path, original);
      }
    }

    private void removeSubtree(int instance, String root)
        throws InterruptedException, KeeperException {
      var paths = new ArrayList<String>();
      var pending = new ArrayDeque<>(List.of(root));
      while (!pending.isEmpty()) {
        String path = pending.remove();
        paths.add(path);
        listChildren(instance, path).forEach(name -> pending.add(ZnodePaths.child(path, name)));
      }
      Collections.reverse(paths);
      var removals = new ArrayList<Op>();
      for (String path : paths) {
        removals.add(Op.delete(path, -1));
        if (readOptional(clients.get(instance), ownerPath(path)) != null) {
          removals.add(Op.delete(ownerPath(path), -1));
        }
      }
      change(instance, removals);
    }

    /** The znodes at the holders, all of which exist. */
    private Map<Integer, Znode> readHolders(String path)
        throws InterruptedException, KeeperException {
      var znodes = new TreeMap<Integer, Znode>();
      for (int instance : flattening.holders(path).numbers()) {
        Znode znode = read(instance, path);
        if (znode == null) {
          throw KeeperException.create(KeeperException.Code.NONODE, path);
        }
        znodes.put(instance, znode);
      }
      return znodes;
    }

    private void alignVersions(String path, Znode original)
        throws InterruptedException, KeeperException {
      Map<Integer, Znode> znodes = readHolders(path);
      int highest =
          znodes.values().stream().mapToInt(znode -> znode.stat().getVersion()).max().orElse(0);
      boolean isNewNeeded =
          znodes.values().stream()
              .anyMatch(
                  znode ->
                      znode.stat().getVersion() == highest
                          && !Arrays.equals(znode.data(), original.data()));
      int target = isNewNeeded ? highest + 1 : highest;
      for (var entry : znodes.entrySet()) {
        int missing = target - entry.getValue().stat().getVersion();
        checkChangeCount(path, missing);
        var changes = new ArrayList<Op>();
        for (int change = 1; change <= missing; change++) {
          byte[] data = change == missing ? original.data() : new byte[0];
          changes.add(Op.setData(path, data, -1));
        }
        change(entry.getKey(), changes);
      }
    }

    private void alignChildCounts(String path) throws InterruptedException, KeeperException {
      Map<Integer, Znode> znodes = readHolders(path);
      int target = znodes.values().stream().mapToInt(Znode::countCreated).max().orElse(0);
      String child = ZnodePaths.child(path, "zoofence-counts");
      for (var entry : znodes.entrySet()) {
        int missing = target - entry.getValue().countCreated();
        checkChangeCount(path, missing);
        var changes = new ArrayList<Op>();
        for (int change = 0; change < missing; change++) {
          changes.add(
              Op.create(child, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
          changes.add(Op.delete(child, -1));
        }
        change(entry.getKey(), changes);
      }
    }

    private void alignAcl(String path, Znode original)
        throws InterruptedException, KeeperException {
      Map<Integer, Znode> znodes = readHolders(path);
      int highest =
          znodes.values().stream().mapToInt(znode -> znode.stat().getAversion()).max().orElse(0);
      boolean isNewNeeded =
          znodes.values().stream()
              .anyMatch(
                  znode ->
                      znode.stat().getAversion() == highest && !znode.acl().equals(original.acl()));
      int target = isNewNeeded ? highest + 1 : highest;
      if (znodes.values().stream().anyMatch(znode -> znode.stat().getAversion() < target)) {
        forgetAclChange(path, original);
      }
      for (var entry : znodes.entrySet()) {
        int version = entry.getValue().stat().getAversion();
        checkChangeCount(path, target - version);
        while (version < target) {
          List<ACL> acl = version == target - 1 ? original.acl() : ZooDefs.Ids.OPEN_ACL_UNSAFE;
          version = clients.get(entry.getKey()).setACL(path, acl, version).getAversion();
        }
      }
    }

    /**
     * Removes the record of a change of an access list that the repair reverts. By that record, a
     * leader takes the higher versions after the repair for the effect of the change.
     */
    private void forgetAclChange(String path, Znode original)
        throws InterruptedException, KeeperException {
      InstanceSet queue = flattening.holders(path);
      int canonical = queue.canonical();
      String record = recordPath(queue) + "/acl";
      AclIntent intent = AclIntent.read(readOptional(clients.get(canonical), record));
      if (intent == null || original.stat().getAversion() > intent.base()) {
        return;
      }
      QueueCommand command = readCommand(queue, intent.number());
      if (command != null && CommandPlan.readOperations(command).get(0).getPath().equals(path)) {
        change(canonical, List.of(Op.setData(record, new byte[0], -1)));
      }
    }

    private void copyOwner(String path, Znode original)
        throws InterruptedException, KeeperException {
      byte[] owner = original.owner();
      for (int instance : flattening.holdersOfParent(path).numbers()) {
        boolean isRecorded = readOptional(clients.get(instance), ownerPath(path)) != null;
        if (owner == null && isRecorded) {
          change(instance, List.of(Op.delete(ownerPath(path), -1)));
        } else if (owner != null && isRecorded) {
          change(instance, List.of(Op.setData(ownerPath(path), owner, -1)));
        } else if (owner != null) {
          change(
              instance,
              List.of(
                  Op.create(
                      ownerPath(path), owner, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
        }
      }
    }

    /** Makes the same commands count as executed at all instances of a queue. */
    private void copySlots(InstanceSet queue, int source)
        throws InterruptedException, KeeperException {
      for (String slot : slotPaths(queue)) {
        byte[] original = readOptional(clients.get(source), slot);
        for (int instance : queue.numbers()) {
          byte[] copy = readOptional(clients.get(instance), slot);
          if (copy != null && !describeSlot(copy).equals(describeSlot(original))) {
            change(
                instance, List.of(Op.setData(slot, original == null ? new byte[0] : original, -1)));
          } else if (copy == null && original != null) {
            change(
                instance,
                List.of(
                    Op.create(slot, original, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
          }
        }
      }
    }

    private static void checkChangeCount(String path, int changes) {
      if (changes > MOST_CHANGES) {
        throw new DeploymentException(
            path + " needs " + changes + " changes; at most " + MOST_CHANGES + " are supported",
            null);
      }
    }

    /** Executes operations in order, in transactions behind the checks of all epochs. */
    private void change(int instance, List<Op> operations)
        throws InterruptedException, KeeperException {
      for (int from = 0; from < operations.size(); from += BATCH) {
        var transaction = new ArrayList<Op>(epochChecks.getOrDefault(instance, List.of()));
        transaction.addAll(operations.subList(from, Math.min(operations.size(), from + BATCH)));
        clients.get(instance).multi(transaction);
      }
    }

    @Override
    public void close() throws InterruptedException {
      for (ZooKeeper client : clients) {
        client.close();
      }
      admin.close();
    }
  }
}
