/**
 * Values as bytes: the state of an atomic object, and the arguments and results of its methods. A
 * value is written by a ProtoStream schema where one is registered, otherwise by the fields of its
 * class. Only classes of a closed set are ever created from bytes, and Java serialization is not
 * used.
 */
@NullMarked
package io.ensemble.objects.value;

import org.jspecify.annotations.NullMarked;
