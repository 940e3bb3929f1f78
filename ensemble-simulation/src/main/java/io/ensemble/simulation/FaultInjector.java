package io.ensemble.simulation;

import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Applies a {@link Fault}, and records it. */
final class FaultInjector {

  private final SimNetwork network;
  private final Map<String, SimSiteServer> sites;
  private final Map<String, SimScheduler> views;

  FaultInjector(
      SimNetwork network, Map<String, SimSiteServer> sites, Map<String, SimScheduler> views) {
    this.network = network;
    this.sites = sites;
    this.views = views;
  }

  /** Refuses a fault at an unknown site; clients may be added later. */
  static void check(Fault fault, Set<String> sites) {
    String site = siteOf(fault);
    if (!site.equals("-") && !sites.contains(site)) {
      throw new IllegalArgumentException("expected one of " + sites + ", got " + fault);
    }
  }

  void inject(Fault fault) {
    if (fault instanceof Fault.Cut cut) {
      network.conditions().cut(cut);
      count(SimFaultKind.CUT, cut.client(), fault);
    } else if (fault instanceof Fault.Heal heal) {
      network.conditions().heal(heal);
      note(heal.client(), fault);
    } else if (fault instanceof Fault.Slow slow) {
      network.conditions().slow(slow);
      if (slow.factor() > 1) {
        count(SimFaultKind.SITE_SLOW, "-", fault);
      }
    } else if (fault instanceof Fault.SiteDown down) {
      site(down.site()).goDown(down.forgets());
      count(kindOf(down), "-", fault);
    } else if (fault instanceof Fault.SiteUp up) {
      note("-", fault);
      site(up.site()).comeUp().forEach(network.clock()::execute);
    } else if (fault instanceof Fault.ClientCrash crash) {
      view(crash.client()).stop();
      count(SimFaultKind.CLIENT_CRASHED, crash.client(), fault);
    } else if (fault instanceof Fault.Change change) {
      network.conditions().change(change.chances());
      note("-", fault);
    }
  }

  private static SimFaultKind kindOf(Fault.SiteDown down) {
    return switch (down.forgets()) {
      case NOTHING -> SimFaultKind.SITE_PAUSED;
      case REQUESTS -> SimFaultKind.SITE_CRASHED;
      case STORES -> SimFaultKind.SITE_WIPED;
    };
  }

  private static String siteOf(Fault fault) {
    if (fault instanceof Fault.Cut cut) {
      return cut.site();
    } else if (fault instanceof Fault.Heal heal) {
      return heal.site();
    } else if (fault instanceof Fault.Slow slow) {
      return slow.site();
    } else if (fault instanceof Fault.SiteDown down) {
      return down.site();
    } else if (fault instanceof Fault.SiteUp up) {
      return up.site();
    }
    return "-";
  }

  private SimSiteServer site(String name) {
    return Objects.requireNonNull(sites.get(name), name);
  }

  private SimScheduler view(String client) {
    SimScheduler view = views.get(client);
    if (view == null) {
      throw new IllegalArgumentException("expected one of " + views.keySet() + ", got " + client);
    }
    return view;
  }

  private void count(SimFaultKind kind, String client, Fault fault) {
    network.trace().fault(kind, network.clock().nanos(), client, siteOf(fault), fault.toString());
  }

  private void note(String client, Fault fault) {
    network.trace().add(network.clock().nanos(), client, siteOf(fault), fault.toString());
  }
}
