package io.ensemble.jcache;

import java.lang.management.ManagementFactory;
import java.net.URI;
import javax.cache.CacheException;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * One management bean of a cache in the platform's MBean server, under the name that JCache
 * specifies. If two cache managers of one URI have a cache of the same name, the first bean stays.
 */
final class ManagementBeans {

  private final ObjectName name;
  private final StandardMBean bean;
  private boolean registered;

  /**
   * @param type {@code CacheConfiguration} or {@code CacheStatistics}
   */
  <T> ManagementBeans(String type, URI manager, String cache, T bean, Class<T> view) {
    try {
      this.name =
          new ObjectName(
              "javax.cache:type=%s,CacheManager=%s,Cache=%s"
                  .formatted(type, safe(manager.toString()), safe(cache)));
      this.bean = new StandardMBean(bean, view, true);
    } catch (JMException e) {
      throw new CacheException("the cache cannot be managed; cache=" + cache, e);
    }
  }

  private static String safe(String text) {
    return text.replaceAll("[:=\n,*?\"]", ".");
  }

  synchronized void register(boolean wanted) {
    if (wanted == registered) {
      return;
    }
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      if (wanted) {
        server.registerMBean(bean, name);
      } else {
        server.unregisterMBean(name);
      }
      registered = wanted;
    } catch (InstanceAlreadyExistsException | InstanceNotFoundException e) {
      registered = false;
    } catch (JMException e) {
      throw new CacheException("cannot register or unregister the bean; name=" + name, e);
    }
  }
}
