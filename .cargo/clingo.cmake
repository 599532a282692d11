# Compiles clingo a dozen files at a time (a "unity build"). One file alone is mostly headers, the same for all, so this saves
# much of the time. CMake reads this file as toolchain file, and again when the project is set up.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.19)
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
    set(CMAKE_PROJECT_CLINGO_INCLUDE "${CMAKE_CURRENT_LIST_FILE}")
    if(PROJECT_NAME STREQUAL CLINGO)
        # Names in these files are also names in others.
        cmake_language(DEFER CALL set_target_properties libclingo PROPERTIES UNITY_BUILD OFF)
        cmake_language(DEFER CALL set_source_files_properties
            "${CMAKE_CURRENT_SOURCE_DIR}/libgringo/src/input/literals.cc" TARGET_DIRECTORY libgringo
            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
endif()
