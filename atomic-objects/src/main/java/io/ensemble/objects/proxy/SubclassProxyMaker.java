package io.ensemble.objects.proxy;

import static net.bytebuddy.matcher.ElementMatchers.isDeclaredBy;
import static net.bytebuddy.matcher.ElementMatchers.isEquals;
import static net.bytebuddy.matcher.ElementMatchers.isFinalizer;
import static net.bytebuddy.matcher.ElementMatchers.isHashCode;
import static net.bytebuddy.matcher.ElementMatchers.isToString;
import static net.bytebuddy.matcher.ElementMatchers.isVirtual;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.ClassFileVersion;
import net.bytebuddy.NamingStrategy;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.FieldManifestation;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.dynamic.scaffold.subclass.ConstructorStrategy;
import net.bytebuddy.implementation.MethodDelegation;
import net.bytebuddy.matcher.ElementMatcher;
import org.jspecify.annotations.Nullable;

/**
 * Makes proxies of a class: a generated subclass in the same package and class loader, so that it
 * also intercepts methods that are not public.
 */
final class SubclassProxyMaker implements ProxyMaker {

  private final Class<?> face;
  private final Constructor<?> constructor;
  private final Field handler;

  SubclassProxyMaker(Class<?> face) {
    this.face = face;
    try {
      Class<?> made = generate(face);
      constructor = made.getDeclaredConstructor();
      constructor.setAccessible(true);
      handler = made.getDeclaredField(ProxyInterceptor.HANDLER);
      handler.setAccessible(true);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IllegalArgumentException(
          "the object interface must permit a subclass in its package that can access this "
              + "library; interface="
              + face.getName(),
          e);
    }
  }

  private static Class<?> generate(Class<?> face) throws IllegalAccessException {
    MethodHandles.Lookup beside = MethodHandles.privateLookupIn(face, MethodHandles.lookup());
    return new ByteBuddy(ClassFileVersion.JAVA_V17)
        .with(new NamingStrategy.SuffixingRandom("Ensemble"))
        .subclass(face, ConstructorStrategy.Default.DEFAULT_CONSTRUCTOR)
        .implement(AtomicObjectProxy.class)
        .defineField(
            ProxyInterceptor.HANDLER,
            InvocationHandler.class,
            Visibility.PUBLIC,
            FieldManifestation.VOLATILE)
        .method(isCaught())
        .intercept(MethodDelegation.to(ProxyInterceptor.class))
        .make()
        .load(face.getClassLoader(), ClassLoadingStrategy.UsingLookup.of(beside))
        .getLoaded();
  }

  private static ElementMatcher<MethodDescription> isCaught() {
    ElementMatcher.Junction<MethodDescription> objects =
        isDeclaredBy(Object.class).and(not(isEquals().or(isHashCode()).or(isToString())));
    return isVirtual().and(not(isFinalizer())).and(not(objects));
  }

  @Override
  public Object make(InvocationHandler calls) {
    try {
      Object proxy = constructor.newInstance();
      handler.set(proxy, calls);
      VarHandle.fullFence(); // handler is visible even without safe publication
      return proxy;
    } catch (InvocationTargetException e) {
      throw failed(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw failed(e);
    }
  }

  private IllegalArgumentException failed(@Nullable Throwable cause) {
    return new IllegalArgumentException(
        "the constructor of the object class failed for its proxy; class=" + face.getName(), cause);
  }
}
