package io.ensemble.testkit.wan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hosts on this machine with the network distances of a plan. Each host is a network namespace with
 * an address, in which processes are started as usual. A host reaches the others and itself, by
 * address or name, and no other network; it shares files and the machine's name with the machine.
 *
 * <p>Requires Linux, root privileges, and the programs {@code ip} and {@code perl}; {@link
 * #missing} reports what is absent. {@link #close}, or the end of this process, removes the hosts.
 * If the process is killed, the next start removes them at the latest. Thread-safe.
 */
public final class EmulatedWan implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final WanPlan plan;
  private final List<NetworkNamespace> namespaces;
  private final Thread hook = new Thread(this::remove, "wan-down");

  @GuardedBy("this")
  private @Nullable NetworkEmulator networkEmulator;

  @GuardedBy("this")
  private boolean closed;

  private EmulatedWan(WanPlan plan) {
    EmulationId run = EmulationId.next();
    this.plan = plan;
    this.namespaces =
        plan.hosts().stream().map(host -> new NetworkNamespace(run.namespace(host))).toList();
  }

  /**
   * The reason why this machine cannot emulate distance, and the remedy; empty if none is known.
   */
  public static Optional<String> missing() {
    return WanRequirements.missing();
  }

  /**
   * Makes the hosts, and first removes the remains of killed processes. Takes about 1 s.
   *
   * @throws WanException if the machine does not allow it; nothing remains then
   */
  public static EmulatedWan start(WanPlan plan) {
    missing()
        .ifPresent(
            why -> {
              throw new WanException(why);
            });
    return start(plan, NetemEmulator.isThere());
  }

  static EmulatedWan start(WanPlan plan, boolean byKernel) {
    OrphanNamespaces.remove();
    EmulatedWan made = new EmulatedWan(plan);
    Runtime.getRuntime().addShutdownHook(made.hook);
    try {
      made.make(byKernel);
      return made;
    } catch (RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private synchronized void make(boolean byKernel) {
    if (closed) {
      throw new WanException("this process is stopping");
    }
    for (int host = 0; host < namespaces.size(); host++) {
      namespaces.get(host).make(HostAddresses.file(plan.hosts(), host));
    }
    networkEmulator =
        byKernel ? NetemEmulator.join(plan, namespaces) : TunEmulator.join(plan, namespaces);
  }

  /** The plan. */
  public WanPlan plan() {
    return plan;
  }

  /** The hosts' names and addresses, in the plan's order. */
  public Map<String, String> hosts() {
    Map<String, String> hosts = new LinkedHashMap<>();
    for (int host = 0; host < plan.hosts().size(); host++) {
      hosts.put(plan.hosts().get(host), HostAddresses.of(host));
    }
    return hosts;
  }

  /**
   * The address of a host.
   *
   * @throws IllegalArgumentException if there is no host of that name
   */
  public String address(String host) {
    return HostAddresses.of(number(host));
  }

  /**
   * Returns a process to start in {@code host}. No wrapper process remains, so its process id, its
   * end and its exit code are those of the command.
   */
  public ProcessBuilder process(String host, String... command) {
    return in(host, new ProcessBuilder(command));
  }

  /** Changes {@code process} so that it starts in {@code host}; its other properties stay. */
  public ProcessBuilder in(String host, ProcessBuilder process) {
    return process.command(namespaces.get(number(host)).command(process.command()));
  }

  /**
   * Cuts two hosts off from each other, in both directions: packets are lost. In force on return.
   */
  public void cut(String a, String b) {
    cutOneWay(a, b);
    cutOneWay(b, a);
  }

  /** Ends any cut between two hosts. */
  public void heal(String a, String b) {
    healOneWay(a, b);
    healOneWay(b, a);
  }

  /** Drops all packets from {@code from} to {@code to}. */
  public void cutOneWay(String from, String to) {
    set(from, to, true);
  }

  /** Ends that cut. */
  public void healOneWay(String from, String to) {
    set(from, to, false);
  }

  private void set(String from, String to, boolean cut) {
    HostPair pair = new HostPair(from, to);
    synchronized (this) {
      startEmulator(pair.toString()).cut(number(from), number(to), cut);
    }
  }

  /**
   * Measures between every two hosts, from inside them; about 1 s for each pair. Other traffic on
   * the paths distorts the result, so call this before processes are started. A pair that is cut is
   * reported without times.
   */
  public WanReport measure() {
    String kind;
    synchronized (this) {
      kind = startEmulator("all").kind();
    }
    return new WanReport(kind, hosts(), new WanMeasurement(plan).of(namespaces));
  }

  @GuardedBy("this")
  private NetworkEmulator startEmulator(String pairs) {
    if (closed || networkEmulator == null) {
      throw new IllegalStateException("the emulation is closed; pairs=" + pairs);
    }
    return networkEmulator;
  }

  /**
   * Asks all processes in the hosts to end, kills those that have not after 10 s, and removes the
   * hosts. A second call has no effect.
   */
  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The second call has no effect.
    }
  }

  private synchronized void remove() {
    if (!closed) {
      closed = true;
      try {
        NetworkNamespace.end(namespaces, PATIENCE);
      } finally {
        removeAll();
      }
    }
  }

  /** A host that cannot be removed does not keep the others. */
  private synchronized void removeAll() {
    WanException first = null;
    for (NetworkNamespace one : namespaces) {
      try {
        one.remove();
      } catch (WanException e) {
        first = first == null ? e : first;
      }
    }
    if (networkEmulator != null) {
      networkEmulator.close();
    }
    if (first != null) {
      throw first;
    }
  }

  private int number(String host) {
    int number = plan.hosts().indexOf(host);
    if (number < 0) {
      throw new IllegalArgumentException("no such host: " + host + "; there are " + plan.hosts());
    }
    return number;
  }
}
