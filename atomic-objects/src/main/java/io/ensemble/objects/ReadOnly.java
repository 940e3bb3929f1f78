package io.ensemble.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method changes nothing, neither in the object nor elsewhere. So it may be answered from a
 * state that is read, without being ordered among the writes. The annotation may be on the method
 * of the proxy type, on the method of the state, or on any method that one of them overrides; one
 * annotation is enough. A change that such a method makes all the same is lost.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ReadOnly {}
