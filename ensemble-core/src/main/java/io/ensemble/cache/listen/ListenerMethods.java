package io.ensemble.cache.listen;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryCreated;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryExpired;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryModified;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryRemoved;
import org.infinispan.client.hotrod.annotation.ClientCacheFailover;
import org.infinispan.client.hotrod.annotation.ClientListener;
import org.infinispan.client.hotrod.event.ClientCacheEntryCreatedEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryExpiredEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryModifiedEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryRemovedEvent;
import org.infinispan.client.hotrod.event.ClientCacheFailoverEvent;
import org.infinispan.client.hotrod.event.ClientEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The methods of an object that have annotations of Infinispan's listeners. */
final class ListenerMethods {

  private static final Logger LOG = LoggerFactory.getLogger(ListenerMethods.class);

  private static final Map<Class<? extends Annotation>, Class<? extends ClientEvent>> EVENTS =
      Map.of(
          ClientCacheEntryCreated.class, ClientCacheEntryCreatedEvent.class,
          ClientCacheEntryModified.class, ClientCacheEntryModifiedEvent.class,
          ClientCacheEntryRemoved.class, ClientCacheEntryRemovedEvent.class,
          ClientCacheEntryExpired.class, ClientCacheEntryExpiredEvent.class,
          ClientCacheFailover.class, ClientCacheFailoverEvent.class);

  private record Handler(Method method, Class<? extends ClientEvent> event) {}

  private final Object listener;
  private final List<Handler> handlers = new ArrayList<>();

  private ListenerMethods(Object listener) {
    this.listener = listener;
  }

  /**
   * The methods of {@code listener}.
   *
   * @throws IllegalArgumentException if its class is not annotated, has no annotated method, or has
   *     one that is not public or does not take the event of its annotation alone
   * @throws UnsupportedOperationException if it names a filter or a converter, or wants raw data
   */
  static ListenerMethods of(Object listener) {
    Class<?> type = listener.getClass();
    ClientListener settings = type.getAnnotation(ClientListener.class);
    if (settings == null) {
      throw refused(type, "must have the annotation @ClientListener");
    }
    if (!settings.filterFactoryName().isEmpty()
        || !settings.converterFactoryName().isEmpty()
        || settings.useRawData()) {
      throw new UnsupportedOperationException(
          "a listener cannot name a filter or a converter, nor use raw data: listen() selects keys;"
              + " class="
              + type.getName());
    }
    ListenerMethods found = new ListenerMethods(listener);
    for (Method method : type.getMethods()) {
      EVENTS.forEach(
          (annotation, event) -> {
            if (method.isAnnotationPresent(annotation)) {
              found.add(method, event);
            }
          });
    }
    if (found.handlers.isEmpty()) {
      throw refused(type, "must have a public method with an annotation of an event");
    }
    return found;
  }

  private static IllegalArgumentException refused(Class<?> type, String why) {
    return new IllegalArgumentException("a listener " + why + "; class=" + type.getName());
  }

  private void add(Method method, Class<? extends ClientEvent> event) {
    Class<?>[] parameters = method.getParameterTypes();
    if (parameters.length != 1 || !parameters[0].isAssignableFrom(event)) {
      throw refused(
          listener.getClass(),
          "has a method that must take one %s: %s"
              .formatted(event.getSimpleName(), method.getName()));
    }
    if (!Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
      method.setAccessible(true); // A public method of a class that is not.
    }
    handlers.add(new Handler(method, event));
  }

  /** Whether the object wants the entries that are present when it is registered. */
  boolean includesCurrentState() {
    return listener.getClass().getAnnotation(ClientListener.class).includeCurrentState();
  }

  /** Calls the methods for this event; what they throw is logged. */
  void call(ClientEvent event) {
    for (Handler handler : handlers) {
      if (handler.event().isInstance(event)) {
        try {
          handler.method().invoke(listener, event);
        } catch (InvocationTargetException failed) {
          LOG.error("a listener failed; method={}", handler.method(), failed.getCause());
        } catch (IllegalAccessException inaccessible) {
          LOG.error("a listener cannot be called; method={}", handler.method(), inaccessible);
        }
      }
    }
  }
}
