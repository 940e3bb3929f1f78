/**
 * Values as bytes: the state of an atomic object, what its methods are given and what they return.
 * A value is written by a ProtoStream schema where one is registered, else by the fields of its
 * class; only classes out of a closed set are ever made from bytes, and nothing is done by Java
 * serialization.
 */
@NullMarked
package io.ensemble.objects.value;

import org.jspecify.annotations.NullMarked;
