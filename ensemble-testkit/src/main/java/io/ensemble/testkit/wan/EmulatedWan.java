package io.ensemble.testkit.wan;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hosts that are as far from each other as a plan says, on this machine: network namespaces, with
 * an address for each, in which processes are started as usual. A host reaches the others and
 * itself, by address or name, and nothing else; files, and the machine's name, are the machine's.
 *
 * <p>Wants Linux, the privileges of root, and the programs {@code ip} and {@code perl}; {@link
 * #missing} tells. What is made is removed when this is closed, or when this process ends; if it is
 * killed, at the latest when the next one starts. Thread-safe.
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

  /** Why this machine cannot emulate distance, and what to do; empty if nothing speaks against. */
  public static Optional<String> missing() {
    return WanRequirements.missing();
  }

  /**
   * Makes the hosts, and first removes what killed processes have left. Takes about a second.
   *
   * @throws WanException if the machine does not allow it; nothing is left then
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
      throw new WanException("this process is ending");
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
   * @throws IllegalArgumentException if there is none of that name
   */
  public String address(String host) {
    return HostAddresses.of(number(host));
  }

  /**
   * A process to be started in {@code host}: its own, not that of a wrapper, so that its number,
   * its end and its exit code are the command's.
   */
  public ProcessBuilder process(String host, String... command) {
    return in(host, new ProcessBuilder(command));
  }

  /** Makes {@code process} one to be started in {@code host}; all else about it stays. */
  public ProcessBuilder in(String host, ProcessBuilder process) {
    return process.command(namespaces.get(number(host)).command(process.command()));
  }

  /** Cuts two hosts off from each other, both ways: packets vanish. In force on return. */
  public void cut(String a, String b) {
    cutOneWay(a, b);
    cutOneWay(b, a);
  }

  /** Undoes any cut between two hosts. */
  public void mend(String a, String b) {
    mendOneWay(a, b);
    mendOneWay(b, a);
  }

  /** Lets nothing come from {@code from} to {@code to}. */
  public void cutOneWay(String from, String to) {
    set(from, to, true);
  }

  /** Undoes that. */
  public void mendOneWay(String from, String to) {
    set(from, to, false);
  }

  private void set(String from, String to, boolean cut) {
    HostPair pair = new HostPair(from, to);
    synchronized (this) {
      wire(pair.toString()).cut(number(from), number(to), cut);
    }
  }

  /**
   * Measures between every two hosts, from inside them; about a second for each pair. What else is
   * on the lines is measured with them: best done before processes are started. A pair that is cut
   * is reported without times.
   */
  public WanReport measure() {
    String kind;
    synchronized (this) {
      kind = wire("all").kind();
    }
    return new WanReport(kind, hosts(), new WanMeasurement(plan).of(namespaces));
  }

  @GuardedBy("this")
  private NetworkEmulator wire(String pairs) {
    if (closed || networkEmulator == null) {
      throw new IllegalStateException("the emulation is closed; pairs=" + pairs);
    }
    return networkEmulator;
  }

  /**
   * Asks all processes in the hosts to end, kills those that have not in ten seconds, and removes
   * the hosts. Nothing happens the second time.
   */
  @Override
  public void close() {
    remove();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // It does nothing then.
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

  /** One that cannot be removed does not keep the others. */
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
