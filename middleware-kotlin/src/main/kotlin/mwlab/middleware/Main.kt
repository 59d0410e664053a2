package mwlab.middleware

fun main() = println("hi")
