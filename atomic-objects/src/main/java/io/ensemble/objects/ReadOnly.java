package io.ensemble.objects;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method changes nothing, neither in the object nor elsewhere: it may be answered from a state
 * that is read, without being ordered among the writes. It may stand on the face's method, on the
 * state's, or on any that one of them overrides; once is enough. What such a method changes all the
 * same is lost.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ReadOnly {}
