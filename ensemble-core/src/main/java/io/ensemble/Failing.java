package io.ensemble;

import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Steps of maintenance at one site that fail: each is told of once, until it succeeds or fails in
 * another way. For one thread.
 */
final class Failing {

  private final Logger log;
  private final String site;
  private final Map<String, Class<?>> failing = new HashMap<>();

  Failing(Logger log, String site) {
    this.log = log;
    this.site = site;
  }

  void failed(String of, String what, RuntimeException why) {
    if (!why.getClass().equals(failing.put(key(of, what), why.getClass()))) {
      log.warn("maintenance failed, it is tried again; site={} of={} what={}", site, of, what, why);
    }
  }

  void succeeded(String of, String what) {
    if (failing.remove(key(of, what)) != null) {
      log.info("maintenance succeeds again; site={} of={} what={}", site, of, what);
    }
  }

  private static String key(String of, String what) {
    return what + " " + of;
  }
}
