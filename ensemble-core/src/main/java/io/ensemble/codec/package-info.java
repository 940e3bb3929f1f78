/**
 * Keys and values as bytes: ProtoStream's messages, with short forms for strings and byte arrays.
 * One value has one encoding, so that equal keys meet in the same entry.
 */
@NullMarked
package io.ensemble.codec;

import org.jspecify.annotations.NullMarked;
