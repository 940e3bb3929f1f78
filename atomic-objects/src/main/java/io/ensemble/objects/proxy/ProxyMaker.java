package io.ensemble.objects.proxy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/** Makes proxies of one proxy type, all of one class. */
interface ProxyMaker {

  /** Makes a proxy whose calls go to {@code calls}. */
  Object make(InvocationHandler calls);

  /** One maker for each proxy type, for the lifetime of its class. */
  ClassValue<ProxyMaker> MAKERS =
      new ClassValue<>() {
        @Override
        protected ProxyMaker computeValue(Class<?> face) {
          return face.isInterface() ? ofInterface(face) : new SubclassProxyMaker(face);
        }
      };

  private static ProxyMaker ofInterface(Class<?> face) {
    ClassLoader loader = loaderOfBoth(face);
    Class<?>[] interfaces = {face, AtomicObjectProxy.class};
    return calls -> Proxy.newProxyInstance(loader, interfaces, calls);
  }

  /**
   * The class loader of the proxy type, which an interface that is not public needs; for types of
   * the JDK, the class loader of Ensemble.
   */
  private static ClassLoader loaderOfBoth(Class<?> face) {
    ClassLoader ofFace = face.getClassLoader();
    ClassLoader ours = AtomicObjectProxy.class.getClassLoader();
    return ofFace != null && sees(ofFace, AtomicObjectProxy.class) ? ofFace : ours;
  }

  private static boolean sees(ClassLoader loader, Class<?> type) {
    try {
      return Class.forName(type.getName(), false, loader) == type;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
