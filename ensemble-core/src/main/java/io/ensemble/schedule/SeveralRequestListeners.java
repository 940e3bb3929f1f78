package io.ensemble.schedule;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Notifies several listeners of a request, each once. */
record SeveralRequestListeners(List<RequestListener> listeners) implements RequestListener {

  /** A listener that is given several times, by itself or among others, is notified once. */
  static RequestListener of(List<RequestListener> given) {
    Set<RequestListener> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    List<RequestListener> each = new ArrayList<>();
    for (RequestListener one : given) {
      List<RequestListener> inner =
          one instanceof SeveralRequestListeners several ? several.listeners() : List.of(one);
      for (RequestListener listener : inner) {
        if (seen.add(listener)) {
          each.add(listener);
        }
      }
    }
    return each.size() == 1 ? each.get(0) : new SeveralRequestListeners(List.copyOf(each));
  }

  @Override
  public Told asked(String site, String cache, String request, boolean writes) {
    List<Told> told =
        listeners.stream().map(one -> one.asked(site, cache, request, writes)).toList();
    return failure -> told.forEach(one -> one.answered(failure));
  }
}
